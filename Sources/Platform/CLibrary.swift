// The system's C library, for the importers of this module: calls that all POSIX systems have are used directly, and
// the others have a function of this module's.

#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#elseif canImport(Darwin)
    @_exported import Darwin
#endif
