"""Playing strength: weak levels, the fallback search and WDL."""
