/* peak.c - runs a command and writes the peak of its memory, in kilobytes, to a file:
 * peak FILE COMMAND... */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    struct rusage usage;
    FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (!file)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    getrusage(RUSAGE_CHILDREN, &usage);
    fprintf(file, "%ld\n", usage.ru_maxrss);
    if (fclose(file) != 0)
        return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
