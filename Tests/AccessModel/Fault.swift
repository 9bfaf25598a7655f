import AccessOracle
import ParleyRules

/// What is done wrong between the broker and the plugin, planted to see that it is found.
package struct Fault: Sendable, CustomStringConvertible {
    package let description: String
    /// What the plugin is told instead; nothing where it is `nil`.
    var event: @Sendable (Event) -> Event? = { $0 }
    var attempt: @Sendable (Attempt) -> Attempt = { $0 }
    var question: @Sendable (Question) -> Question = { $0 }
    var limits: @Sendable (inout BrokerLimits) -> Void = { _ in }
    /// By how much the plugin's clock is slow, in seconds.
    var delay = 0

    private init(_ description: String, _ plant: (inout Fault) -> Void) {
        self.description = description
        plant(&self)
    }

    package static let none = Fault("no fault") { _ in }
}

extension Fault {
    package static let all = told + admitted + asked

    /// In what the plugin is told.
    private static let told = [
        Fault("who was removed is told of when the next one is") { fault in
            fault.event = { if case .conversation(let id, let members, _) = $0, members.count < 3 { return nil } else { return $0 } }
        },
        Fault("an ended conversation goes on") { fault in
            fault.event = { if case .conversationEnded = $0 { return nil } else { return $0 } }
        },
        Fault("a block does not silence") { fault in
            fault.event = {
                guard case .conversation(let id, let members, _) = $0 else { return $0 }
                return .conversation(id, members: members, isSilent: false)
            }
        },
        Fault("who is no friend any more still is") { fault in
            fault.event = { if case .parted = $0 { return nil } else { return $0 } }
        },
        Fault("a revoked device stays") { fault in
            fault.event = { if case .revoked = $0 { return nil } else { return $0 } }
        },
        Fault("a token made anew ends no session") { fault in
            fault.event = {
                guard case .issued(let device, let token, let endsAt, _) = $0 else { return $0 }
                return .renewed(device, token: token, endsAt: endsAt)
            }
        },
        Fault("a renewed token ends the sessions") { fault in
            fault.event = {
                guard case .renewed(let device, let token, let endsAt) = $0 else { return $0 }
                return .issued(device, token: token, endsAt: endsAt, isOperator: device.user == "operator")
            }
        },
        Fault("what was lost still holds") { fault in
            fault.event = { if case .lost = $0 { return nil } else { return $0 } }
        },
        Fault("sessions go on for ten minutes after their token's end") { $0.delay = 600 },
    ]

    /// In what a CONNECT says.
    private static let admitted = [
        Fault("an operator comes from anywhere") { $0.attempt = { $0.with { $0.origin = .unixSocket } } },
        Fault("a further connection may keep a session") { $0.attempt = { $0.with { $0.isClean = true } } },
        Fault("nobody looks at the signature") { fault in
            fault.attempt = { $0.with { if $0.token.shape == .forged { $0.token.shape = .whole } } }
        },
        Fault("nobody looks behind the token") { fault in
            fault.attempt = { $0.with { if $0.token.shape == .trailed { $0.token.shape = .whole } } }
        },
        Fault("the username does not matter") { fault in
            fault.attempt = { $0.with { $0.username = ClientName($0.clientID)?.device.user ?? $0.username } }
        },
        Fault("MQTT 3.1 is good enough") { fault in
            fault.attempt = { $0.with { if $0.version == .v31 { $0.version = .v311 } } }
        },
        Fault("a device has as many connections as it likes") { $0.limits = { $0.connectionsPerDevice = 100 } },
        Fault("a user has as many connections as they like") { $0.limits = { $0.connectionsPerUser = 100 } },
        Fault("there are as many connections as there are") { $0.limits = { $0.connections = 100 } },
        Fault("a device uses as many names as it likes") { $0.limits = { $0.connectionNamesPerDay = 100 } },
    ]

    /// In what is asked.
    private static let asked = [
        Fault("QoS 2 is good enough") { fault in
            fault.question = {
                guard case .publish(let client, let topic, let qos, let retain) = $0 else { return $0 }
                return .publish(client, topic: topic, qos: min(qos, 1), retain: retain)
            }
        },
        Fault("requests may be retained") { fault in
            fault.question = {
                guard case .publish(let client, let topic, let qos, _) = $0 else { return $0 }
                return .publish(client, topic: topic, qos: qos, retain: false)
            }
        },
        Fault("everybody administers") { fault in
            fault.question = {
                guard case .publish(let client, let topic, let qos, let retain) = $0 else { return $0 }
                let asked = topic.hasSuffix("/admin/list-users") ? String(topic.dropLast(17)) + "/messages/send" : topic
                return .publish(client, topic: asked, qos: qos, retain: retain)
            }
        },
        Fault("filters are read without regard to case") { $0.question = { $0.filtering { $0.lowercased() } } },
        Fault("filters are read to the fifth level") { fault in
            fault.question = { $0.filtering { $0.split(separator: "/", omittingEmptySubsequences: false).prefix(5).joined(separator: "/") } }
        },
        Fault("a filter may be shared") { fault in
            fault.question = { $0.filtering { $0.hasPrefix("$share/g/") ? String($0.dropFirst(9)) : $0 } }
        },
        Fault("a wildcard stands for a conversation") { fault in
            fault.question = { question in
                question.filtering { $0.hasPrefix("parley/v1/conversations/+/") ? "parley/v1/gateway/status" : $0 }
            }
        },
        Fault("a friend's events are heard as their presence is") { fault in
            fault.question = { $0.naming { $0.hasSuffix("/notifications") ? String($0.dropLast(13)) + "presence" : $0 } }
        },
        Fault("who stands behind a further connection has a stored session") { fault in
            fault.question = {
                guard case .receive(let client, let topic) = $0 else { return $0 }
                return .receive(ClientName(client.device), topic: topic)
            }
        },
        Fault("what is retained is silent too") { fault in
            fault.question = { $0.naming { $0.hasSuffix("/info") ? String($0.dropLast(4)) + "messages" : $0 } }
        },
        Fault("the status is for operators") { fault in
            fault.question = { $0.naming { $0 == "parley/v1/gateway/status" ? "parley/v1/gateway/stats/x" : $0 } }
        },
        Fault("a group's topics are its conversation's") { fault in
            fault.question = {
                $0.naming { name in
                    guard name.hasPrefix("parley/v1/groups/") else { return name }
                    return "parley/v1/conversations/\(name.dropFirst(17).prefix(36))/messages"
                }
            }
        },
        Fault("topics without slash at their end are the same as with one") { fault in
            fault.question = { $0.filtering { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } }
        },
    ]
}

extension Attempt {
    fileprivate func with(_ change: (inout Attempt) -> Void) -> Attempt {
        var changed = self
        change(&changed)
        return changed
    }
}

extension Question {
    /// The same of another filter.
    fileprivate func filtering(_ change: (String) -> String) -> Question {
        guard case .subscribe(let client, let filter) = self else { return self }
        return .subscribe(client, filter: change(filter))
    }

    /// The same delivery on another topic.
    fileprivate func naming(_ change: (String) -> String) -> Question {
        guard case .receive(let client, let topic) = self else { return self }
        return .receive(client, topic: change(topic))
    }
}
