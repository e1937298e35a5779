/* All communication of `wrapped`, in a unit of its own. */
double sum_of(double mine);
void share(double* values, int count);
