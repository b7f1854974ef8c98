# Completion of foray for bash. The command itself knows every flag, choice and
# world: this only asks it, with the words up to the cursor.

_foray()
{
    local line=${COMP_LINE:0:COMP_POINT} word head reply
    local -a words=()
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    word=${words[-1]}

    # Bash takes a word apart at = and :, and wants only the last part back.
    head=
    [[ $word == *[:=]* ]] && head=${word%"${word##*[:=]}"}

    COMPREPLY=()
    while IFS= read -r reply; do
        if [[ $reply == :files ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${word#"$head"}")
        else
            [[ $reply == *= ]] && compopt -o nospace 2>/dev/null
            COMPREPLY+=("${reply#"$head"}")
        fi
    done < <("${words[0]}" help --complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F _foray foray
