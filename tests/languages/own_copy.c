/* A program whose RPATH has a copy of libmpi of its own. */
int run_plugin(void);

int main(void) { return run_plugin(); }
