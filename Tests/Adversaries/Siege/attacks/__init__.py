"""The attacks, a function each: it opens what keeps itself up from then on."""
