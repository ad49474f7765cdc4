"""Drop-in replacements for functions of other packages."""
