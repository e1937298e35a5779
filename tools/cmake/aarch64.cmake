# For building on another processor what runs on 64-bit ARM, with Debian's compilers and libraries of the architecture
# arm64: cmake --preset release --toolchain tools/cmake/aarch64.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_Fortran_COMPILER aarch64-linux-gnu-gfortran)
set(PKG_CONFIG_EXECUTABLE aarch64-linux-gnu-pkg-config)
