# fish completion for scope-profiler

# Prints the first word that is neither an option nor an option's value: the command.
function __scope_profiler_command
    set -l words (commandline -opc)[2..-1]
    set -l skip 0
    for word in $words
        if test $skip -eq 1
            set skip 0
        else if contains -- $word --config --color
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
            return
        end
    end
end

function __scope_profiler_is
    test "$(__scope_profiler_command)" = "$argv[1]"
end

# The words after `run` and its options: the user's own line.
function __scope_profiler_users_line
    set -l words (commandline -opc)
    set -l from (contains -i -- run $words); or return
    set -l skip 0
    for i in (seq (math $from + 1) (count $words))
        set -l word $words[$i]
        if test $skip -eq 1
            set skip 0
        else if contains -- $word -n --mpiexec -o --output --label --tag --keep-dumps --collect --per-rank --stall-timeout --stall-action --repeat --warmup --versus --config --color
            set skip 1
        else if test "$word" = --; or not string match -q -- '-*' $word
            string match -q -- -- $word; and set i (math $i + 1)
            test $i -le (count $words); and string escape -- $words[$i..-1]
            return
        end
    end
end

# What completes the user's own line.
function __scope_profiler_complete_line
    set -l line (__scope_profiler_users_line)
    complete -C "$line $(commandline -ct)"
end

function __scope_profiler_in_options
    __scope_profiler_is $argv[1]; or return
    test "$argv[1]" != run; or test -z "$(__scope_profiler_users_line)"
end

complete -c scope-profiler -n '__scope_profiler_is ""' -f -a run -d 'Run a program and profile it'
complete -c scope-profiler -n '__scope_profiler_is ""' -f -a report -d 'Show a profile'
complete -c scope-profiler -n '__scope_profiler_is ""' -f -a check -d 'Compare profiles, or check a budget'
complete -c scope-profiler -n '__scope_profiler_is ""' -f -a export -d 'Write a profile for another tool'
complete -c scope-profiler -n '__scope_profiler_is ""' -f -a merge -d 'Make a profile from the files of the ranks'
complete -c scope-profiler -n '__scope_profiler_is ""' -f -a watch -d 'Look at a job while it runs'
complete -c scope-profiler -n '__scope_profiler_is ""' -f -a doctor -d 'Find out whether profiling works here'

for command in '' run report check export merge watch doctor
    set -l where "__scope_profiler_in_options '$command'"
    complete -c scope-profiler -n $where -l config -r -d 'Read options from a file'
    complete -c scope-profiler -n $where -s v -l verbose -d 'Say more'
    complete -c scope-profiler -n $where -s q -l quiet -d 'Only warnings and errors'
    complete -c scope-profiler -n $where -l color -x -a 'auto always never' -d 'When to use colours'
    complete -c scope-profiler -n $where -l version -d 'Print the version'
    complete -c scope-profiler -n $where -s h -l help -d 'Print the options'
end

set -l run '__scope_profiler_in_options run'
complete -c scope-profiler -n $run -l mpi-calls -d 'Profile the MPI calls of every rank'
complete -c scope-profiler -n $run -s n -x -d 'Put mpiexec -n N in front of the command'
complete -c scope-profiler -n $run -l mpiexec -r -d 'The launcher that -n uses'
complete -c scope-profiler -n $run -s o -l output -r -d 'Where the profile goes'
complete -c scope-profiler -n $run -l label -x -d 'A name for the run'
complete -c scope-profiler -n $run -l tag -x -d 'A further fact, KEY=VALUE'
complete -c scope-profiler -n $run -l keep-dumps -r -d 'Keep the files of every rank'
complete -c scope-profiler -n $run -l per-rank -x -a 'auto all' -d 'Above 1,024 ranks: how calls spread, or each rank'
complete -c scope-profiler -n $run -l collect -x -a 'files node mpi auto' -d 'How data of ranks get here'
complete -c scope-profiler -n $run -l callsites -d 'Say which code makes the calls'
complete -c scope-profiler -n $run -l trace -d 'Record a timeline too'
complete -c scope-profiler -n $run -l trace-limit -x -d 'Most that the timeline of a rank may take'
complete -c scope-profiler -n $run -l stall-timeout -x -d 'Say why no rank makes progress for so long'
complete -c scope-profiler -n $run -l stall-action -x -a 'report abort' -d 'What follows'
complete -c scope-profiler -n $run -l repeat -x -d 'Run several times, keep every repetition'
complete -c scope-profiler -n $run -l warmup -x -d 'Runs before them that are not kept'
complete -c scope-profiler -n $run -l versus -x -d 'A second command that takes turns'
complete -c scope-profiler -n $run -l dry-run -d 'Print command and environment, run nothing'
complete -c scope-profiler -n $run -l strict -d 'An incomplete profile is exit code 125'
complete -c scope-profiler -n '__scope_profiler_is run' -x -a '(__scope_profiler_complete_line)'

set -l report '__scope_profiler_in_options report'
complete -c scope-profiler -n $report -s o -l output -l report-output -r -d 'Write to a file'
complete -c scope-profiler -n $report -l format -x -a 'text markdown csv json html' -d 'Format'
complete -c scope-profiler -n $report -l by -x -a 'call spread rank heat peer size comm callsite region wait delay path' -d 'One table'
complete -c scope-profiler -n $report -l scaling -x -a 'strong weak' -d 'Speed-up over ranks'
complete -c scope-profiler -n $report -l sort -x -d 'Order of the rows'
complete -c scope-profiler -n $report -l top -x -d 'Only the first rows'
complete -c scope-profiler -n $report -l columns -x -d 'Which columns'
complete -c scope-profiler -n $report -l ranks -x -d 'Only these ranks'
complete -c scope-profiler -n $report -l include -x -d 'Only procedures that match'
complete -c scope-profiler -n $report -l exclude -x -d 'No procedures that match'

set -l check '__scope_profiler_in_options check'
complete -c scope-profiler -n $check -l max -x -d 'How much a metric may grow or be'
complete -c scope-profiler -n $check -l min -x -d 'What a metric must be at least'
complete -c scope-profiler -n $check -l max-regression -x -d 'Gate all times and ratios'
complete -c scope-profiler -n $check -l budget -r -d 'Limits in a file'
complete -c scope-profiler -n $check -l init -d 'Print a first budget'
complete -c scope-profiler -n $check -l floor -x -d 'Time differences that never fail'
complete -c scope-profiler -n $check -l fail-on-new -d 'New regions and findings fail'
complete -c scope-profiler -n $check -l fail-on-missing -d 'What only the base has fails'
complete -c scope-profiler -n $check -l allow -r -d 'Failures that are accepted'
complete -c scope-profiler -n $check -l allow-different -d 'Compare what differs'
complete -c scope-profiler -n $check -l report-only -d 'Exit with 0 where 1 would be'
complete -c scope-profiler -n $check -l strict -d 'Inconclusive is a failure'
complete -c scope-profiler -n $check -l history -r -d 'Compare with accepted profiles'
complete -c scope-profiler -n $check -l last -x -d 'How many of them'
complete -c scope-profiler -n $check -l accept -d 'Store the profile in the history'
complete -c scope-profiler -n $check -l junit -r -d 'Write JUnit XML'
complete -c scope-profiler -n $check -l markdown -r -d 'Write Markdown'
complete -c scope-profiler -n $check -l json -r -d 'Write all that is known'
complete -c scope-profiler -n $check -l gitlab-metrics -r -d 'Write OpenMetrics text'
complete -c scope-profiler -n $check -l code-quality -r -d 'Write a Code Quality report'
complete -c scope-profiler -n $check -l github -d 'Print GitHub annotations'

set -l export '__scope_profiler_in_options export'
complete -c scope-profiler -n $export -l to -x -a 'chrome-trace csv gha-benchmark profile-json speedscope' -d 'Format'
complete -c scope-profiler -n $export -s o -l output -l export-output -r -d 'Write to a file'

set -l merge '__scope_profiler_in_options merge'
complete -c scope-profiler -n $merge -s o -l output -r -d 'Where the profile goes'
complete -c scope-profiler -n $merge -l per-rank -x -a 'auto all' -d 'Above 1,024 ranks: how calls spread, or each rank'

set -l watch '__scope_profiler_in_options watch'
complete -c scope-profiler -n $watch -l interval -x -d 'Seconds between two looks'
complete -c scope-profiler -n $watch -l once -d 'Print once and end'
complete -c scope-profiler -n $watch -l format -x -a 'text json' -d 'Format'
complete -c scope-profiler -n $watch -l rows -x -a 'auto ranks states' -d 'What has a row'
complete -c scope-profiler -n $watch -l order -x -a 'since mpi calls bytes rank' -d 'Order of the rows'
complete -c scope-profiler -n $watch -l top -x -d 'Rows at most'
complete -c scope-profiler -n $watch -l stall-timeout -x -d 'Warn when no rank makes progress for so long'

set -l doctor '__scope_profiler_in_options doctor'
complete -c scope-profiler -n $doctor -f -l coverage -d 'List the procedures that are timed and those that are not'
complete -c scope-profiler -n $doctor -f -l format -x -a 'text markdown csv json' -d 'Format'
