/* formula.h - formulas as MathML, made of the plain text that terminals show:
 * "K = O~(H^5 d^2/eps^2)". */
#ifndef FY_FORMULA_H
#define FY_FORMULA_H

#include "draw/text.h"

/* One formula. ^ and _ raise and lower what follows, / makes a fraction of its two neighbours,
 * sqrt(...) a root; names of Greek letters become the letters. */
void fy_formula_print(fy_writer *text, const char *formula);

/* Prose, in which every occurrence of one of the formulas (the last is NULL) is printed as one. */
void fy_formula_prose(fy_writer *text, const char *prose, const char *const *formula);

#endif
