"""Playing strength: weak levels, the fallback search, WDL."""
