/* A library with an odd zstd of its own. It calls its functions by their names, as libraries do. */
unsigned ZSTD_versionNumber(void);
unsigned version(void);

unsigned ZSTD_versionNumber(void) { return 7; }
unsigned version(void) { return ZSTD_versionNumber(); }
