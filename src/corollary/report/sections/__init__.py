"""The sections of the page, one file each: findings in, words and figures out.

A section is a function of the findings that returns what its template shows, or None
where there is nothing to show; the page then leaves it out.
"""
