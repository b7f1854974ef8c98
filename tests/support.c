/* support.c - what several test programs share. */
#include "base/base.h"
