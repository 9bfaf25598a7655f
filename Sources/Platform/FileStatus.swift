extension stat {
    /// When the file's content was last changed.
    package var contentChanged: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}

/// Says that a file is read from its beginning to its end (`posix_fadvise`). Nothing where the system has no call for
/// it.
package func adviseSequentialReading(of descriptor: Int32) {
    #if !canImport(Darwin)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
}
