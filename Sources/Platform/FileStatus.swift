extension stat {
    /// The time of the last change of the file's content.
    package var contentChanged: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}

/// Announces that a file is read from its beginning to its end (`posix_fadvise`). Does nothing on systems without such
/// a call.
package func adviseSequentialReading(of descriptor: Int32) {
    #if !canImport(Darwin)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
}
