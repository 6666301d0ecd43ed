// What the sources ask of the SDK's header of this name: macOS, unless the compiler is told otherwise.
#ifndef TARGET_OS_OSX
#define TARGET_OS_OSX 1
#endif
