// What the sources ask of the header of the same name in the SDK of macOS.
#define TARGET_OS_OSX 1
