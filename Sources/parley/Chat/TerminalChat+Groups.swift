import ParleyClient
import ParleyProtocol

// The commands of a chat about groups; each runs in the background and reports its result.

extension TerminalChat {
    /// Makes a group of users; without any, one that trains together, which people join by invites.
    func make(_ group: NewGroup, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                guard group.users.isEmpty else {
                    return .made(try await client.groups.create(name: group.name, with: group.users))
                }
                let made = try await client.trainingGroups.create(name: group.name)
                return .made(try await client.conversation(made.conversation))
            } catch { return .failed(error) }
        }
    }

    func showMembers(of conversation: ConversationID, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                let summary = try await client.conversation(conversation)
                var table = Table(headings: ["USER", "NAME", "ROLE", "SINCE"])
                for member in summary.members {
                    let since = TimeZone.local.civil(member.joinedAt).day
                    table.add([member.user.text, member.username, member.role.name, since])
                }
                return .shown(ChatPage("In \(summary.title(for: client.device.user))", table.lines))
            } catch { return .failed(error) }
        }
    }

    func showBoard(of conversation: ConversationID, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                let groups = try await client.trainingGroups.all()
                guard let group = groups.first(where: { $0.conversation == conversation }) else {
                    return .noticed("Nobody counts here: a group with a board is made by /group NAME, without users.")
                }
                let board = try await client.leaderboards.board(of: group.id, .checkIns)
                let rows = board.rows(for: client.device.user, in: .local, weeksOf: group.timeZone).map(\.text)
                return .shown(ChatPage(group.name, rows))
            } catch { return .failed(error) }
        }
    }

    /// What was said with all of these words, in every conversation that is not left out.
    func search(_ words: String, in conversation: ConversationID?, _ titles: [ConversationID: String], _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                let found = try await client.search(words, in: conversation, limit: 50)
                guard !found.isEmpty else { return .noticed("Nothing found.") }
                let lines = found.reversed().map { message in
                    let time = TimeZone.local.civil(message.createdAt).stamp.prefix(16)
                    let place = conversation == nil ? titles[message.conversation].map { "\($0) " } ?? "" : ""
                    let number = message.position.map { "#\($0.seq) " } ?? ""
                    return "\(number)\(time) \(place)\(message.sender.user): \(message.text)"
                }
                return .shown(ChatPage("Found, the newest last", lines))
            } catch { return .failed(error) }
        }
    }
}
