# Completion of foray for fish. The command itself knows every flag, choice and
# world: this only asks it, with the words up to the cursor.

function __foray_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for reply in ($words[1] help --complete -- $words[2..-1] "$word" 2>/dev/null)
        if test "$reply" = :files
            __fish_complete_path "$word"
        else
            echo $reply
        end
    end
end

complete -c foray -f -a '(__foray_complete)'
