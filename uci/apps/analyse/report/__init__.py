"""`pythagoras report`: the HTML report of analysed games."""
