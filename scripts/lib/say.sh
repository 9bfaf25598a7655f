# Sourced. Sentences for people go to standard error: standard output belongs to what another program reads.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Ends the script with status 1 and the sentence.
fail() {
    say "$@"
    exit 1
}
