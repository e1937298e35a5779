// Stands for a library of an MPI that is newer than tactus, by its file's name: it has a function that tactus does not
// know.
int MPI_Later(int value);

int MPI_Later(int value) { return value + 1; }
