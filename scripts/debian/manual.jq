# A manual page (man(7)) from what a program of ArgumentParser says of itself, `--experimental-dump-help`.
# Arguments: section, version, date, and `files`, pairs of a path and what it is.

def escaped: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | gsub("(?<start>^|\n)(?<mark>[.'])"; "\(.start)\\&\(.mark)");
# Paragraphs of running text.
def prose: gsub("\n\n"; "\u0001") | split("\u0001") | map(if test("\n ") then ".nf\n" + escaped + "\n.fi" else escaped end) | join("\n.PP\n");
def line(text): text | gsub("\n"; " ") | escaped;

def flag: (if .kind == "long" then "--" else "-" end) + .name;
def names: [.names[]? | flag];
def value: "\\fI" + (.valueName // "value" | escaped) + "\\fR";
def term:
    if .kind == "positional" then value
    else (names | map("\\fB" + escaped + "\\fR") | join(", ")) + (if .kind == "option" then " " + value else "" end) end
    + (if .isRepeating then " …" else "" end);
def synopsis:
    (if .kind == "positional" then value
     else "\\fB" + (.preferredName | flag | escaped) + "\\fR" + (if .kind == "option" then " " + value else "" end) end
     + (if .isRepeating then " …" else "" end)) as $text |
    if .isOptional then "[" + $text + "]" else $text end;
def shown: select(.shouldDisplay and ((.names // []) | any(.name == "help" or .name == "version") | not));
def about: [.abstract, .discussion] | map(select(. != null)) | join("\n\n");
def argument:
    ".TP\n" + term + "\n" + (about | prose)
    + (if .defaultValue and .kind != "flag" then "\nDefault: " + (.defaultValue | escaped) + "." else "" end);
def usage(path): "\\fB" + (path | escaped) + "\\fR " + ([.arguments[]? | shown | synopsis] | join(" "));

# Commands, those with commands of their own by these alone. `common` are the names that stand with the program.
def commands(path; common):
    .subcommands[]? | select(.commandName != "help" and .shouldDisplay)
    | (path + " " + .commandName) as $path
    | (.arguments |= map(select(.preferredName.name? as $name | common | index($name) | not)))
    | if (.subcommands // [] | map(select(.commandName != "help")) | length) > 0 then
        ".SS " + ($path | escaped) + "\n" + (about | prose), commands($path; common)
      else
        ".SS " + ($path | escaped) + "\n" + usage($path) + "\n.PP\n" + (about | prose),
        (.arguments[]? | shown | argument)
      end;

.command
| .commandName as $name
| [.arguments[]? | shown | .preferredName.name // empty] as $common
| ".TH " + ($name | ascii_upcase) + " " + $section + " \"" + $date + "\" \"Parley " + $version + "\" \"Parley\"",
  ".SH NAME", ($name | escaped) + " \\- " + line(.abstract | rtrimstr(".")),
  ".SH SYNOPSIS",
  (if (.subcommands // []) == [] then usage($name) else "\\fB\($name)\\fR [\\fIoptions\\fR] \\fIcommand\\fR …" end),
  ".SH DESCRIPTION", (.discussion // .abstract | prose),
  (if $common == [] then empty else ".SH OPTIONS", (.arguments[] | shown | argument) end),
  (if (.subcommands // []) == [] then empty else ".SH COMMANDS", commands($name; $common) end),
  ".SH FILES", ($files[] | ".TP\n\\fI" + (.[0] | escaped) + "\\fR\n" + (.[1] | escaped))
