#!/bin/bash
# Tasks on the command line: planned, certified, stored, verified, followed, exported.
# shellcheck source=tests/shell.sh
. "$(dirname "$0")/shell.sh"

task='task:F (5 & X F 0)'
expect 0 "0.599578  exact" "$foray" plan riverswim -r "$task" -o known.json
expect 0 "0.599578     0.599578            0" "$foray" evaluate riverswim known.json -r "$task"
expect 3 "column 7: the formula ends" "$foray" plan riverswim -r 'task:F (5 &'
expect 3 "there is no label 'goal'" "$foray" plan riverswim -r 'task:F goal'

# A run keeps the plan, and verifies it.
expect 0 "" "$foray" explore riverswim -k 500 -o run.foray
expect 0 "rounding" "$foray" plan run.foray -r "$task" -r goal:5 -o plans/
expect 0 "task:F .5 & X F 0." "$foray" info run.foray
expect 0 "verified  *yes" "$foray" verify run.foray
expect 0 "optimal" "$foray" certify run.foray plans/task-F--5---X-F-0-.json -r goal:5 -r "$task"
expect 0 "task:" "$foray" rollout run.foray -r "$task" --episodes 200
expect 0 "" "$foray" report run.foray -o report.html
expect 0 "remembers what has happened" cat report.html

# There and back: what is done in one place depends on what has happened.
printf '0\n1\n2\n3\n4\n5\n4\n3\n' >states
expect 0 "right" "$foray" act known.json <states
printf 'right\nright\nright\nright\nright\nleft\nleft\nleft\n' >expected
"$foray" act known.json <states >actions
expect 0 "" cmp expected actions

# The same in C, and a column of CSV.
expect 0 "" "$foray" policy export known.json -o known.c
expect 0 "step,state,memory,action" "$foray" policy export known.json -o -  --to csv
cat >main.c <<'END'
#include <stdio.h>
int known_read(int memory, int state);
int known_action(int step, int state, int memory);
int main(void)
{
    int memory = 0, state;
    for (int t = 0; scanf("%d", &state) == 1; t++) {
        memory = known_read(memory, state);
        puts(known_action(t, state, memory) == 1 ? "right" : "left");
    }
    return 0;
}
END
expect 0 "" cc -std=c99 -Wall -Wextra -Werror known.c main.c -o follow
./follow <states >actions
expect 0 "" cmp expected actions

# Labels of a reward file.
echo '{"format":"foray-reward","version":1,"name":"t","task":"F there & F \"place 0\"","labels":{"there":[5]}}' >t.json
expect 0 "t  " "$foray" plan riverswim -r t.json
finish
