/* A program whose RPATH has its own copy of libmpi. */
int run_plugin(void);

int main(void) { return run_plugin(); }
