import ParleyClient
import ParleyProtocol

// Files on their way, which can be paused: uploads by the client, downloads by the chat.

extension ChatSession {
    mutating func pause(_ key: ChatTransfer.Key) {
        switch key {
        case .upload(let message): chat.pauseUpload(message, true, start)
        case .download(let message):
            downloads.pause(message)
            state.pauseTransfer(key)
        }
    }

    /// - Returns: what begins a download anew.
    mutating func resume(_ key: ChatTransfer.Key) -> [ChatState.Action] {
        switch key {
        case .upload(let message):
            chat.pauseUpload(message, false, start)
            return []
        case .download(let message): return downloads.resume(message)
        }
    }

    /// A download may have come further just before it was stopped.
    mutating func show(_ transfer: ChatTransfer) {
        if case .download(let message) = transfer.key, downloads.isPaused(message) { return }
        state.show(transfer)
    }

    mutating func end(_ key: ChatTransfer.Key) {
        if case .download(let message) = key { downloads.end(message) }
        state.endTransfer(key)
    }
}
