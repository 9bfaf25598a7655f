import ParleyCrypto
import ParleyProtocol

/// Seals drafts for the devices of a conversation, with the keys that are known now.
struct DraftSealer {
    let logs: ConversationLogs, keyring: Keyring, device: DeviceAddress

    func seal(_ draft: Draft, _ id: MessageID, in conversation: ConversationID) -> Result<SealedDraft, UnsealableError>
    {
        let entry = logs[conversation]
        let isGroup = entry?.object?.type != .known(.direct)
        let suite = draft.suite ?? (isGroup ? .groupBox : .x25519AESGCM)
        let devices = keyring.recipients(of: draft, among: entry?.members ?? [])
        guard devices.sealed.contains(where: { $0.device.user != device.user }) else {
            return .failure(UnsealableError(answer: .impossible(keyring.book.lack(of: devices))))
        }
        guard devices.sealed.count + devices.leftOut.count <= Limits.recipientKeys else {
            return .failure(UnsealableError(answer: .impossible(.tooManyDevices)))
        }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: device, type: draft.type.type,
            replyTo: draft.replyTo, kind: draft.kind, target: draft.change?.target, expiresIn: draft.expiresIn)
        let recipients: Recipients =
            if !isGroup, suite != .groupBox, devices.leftOut.isEmpty, devices.sealed.count == 1,
                let only = devices.sealed.first
            {
                .one(only.key)
            } else {
                .devices(devices.sealed.map { ($0.device, $0.key) })
            }
        do throws(SealingError) {
            let sealed = try keyring.seal(draft.content, header, for: recipients)
            return .success(SealedDraft(sealed, header, draft, devices, echoIsReply: entry?.isOpen ?? true))
        } catch {
            return .failure(UnsealableError(error))
        }
    }
}

extension SealedDraft {
    /// A deletion has no content to seal. `nil` for a message.
    static func deletion(_ draft: Draft, _ id: MessageID, in conversation: ConversationID) -> SealedDraft? {
        draft.change.map { change in
            .change(ChangeMessage(id: id, conversation: conversation, message: change.target, change: .delete))
        }
    }
}

/// Why a message cannot be sealed, perhaps only now.
struct UnsealableError: Error {
    let answer: SendAnswer

    /// Whether newer key lists may help.
    var isOfListing: Bool { if case .impossible(.uncertifiedRecipients) = answer { true } else { false } }
}

extension UnsealableError {
    fileprivate init(_ failure: SealingError) {
        let answer: SendAnswer =
            switch failure {
            case .noRecipients: .impossible(.noRecipientKeys)
            case .tooManyRecipients: .impossible(.tooManyDevices)
            case .tooLarge(let maximum): .impossible(.contentTooLarge(maximum: maximum))
            case .weakKey: .impossible(.weakRecipientKey)
            case .needsRecipientKeys: .impossible(.damaged)
            case .unavailable: .notNow
            }
        self.init(answer: answer)
    }
}
