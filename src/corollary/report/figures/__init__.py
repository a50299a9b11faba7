"""The figures of the page: small SVG drawings, computed here, coloured by the page.

Lengths across are percent of the width that the page gives, so that letters keep their
size on a phone; colours are classes, so that they follow light and dark.
"""
