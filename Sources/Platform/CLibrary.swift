// The C library of the system, for whoever imports this module: what POSIX has alike everywhere is called as it is.
// What differs from one system to the next has a function of this module's.

#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#elseif canImport(Darwin)
    @_exported import Darwin
#endif
