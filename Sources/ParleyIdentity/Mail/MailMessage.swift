import ParleyProtocol

/// The bytes of a mail (RFC 5322): ASCII, lines that end in CR LF. The only foreign text in its headers are addresses,
/// which are closed types.
enum MailMessage {
    /// - Parameter id: of the message, unique for all time.
    static func compose(_ mail: Mail, from sender: EmailAddress, id: UInt128, now: Timestamp) -> [UInt8] {
        let wording = MailWording(mail.text)
        let lines =
            [
                "Date: \(MailDate.text(of: now))", "From: <\(sender)>", "To: <\(mail.recipient)>",
                "Subject: \(wording.subject)", "Message-ID: <\(String(id, radix: 36))@\(sender.domain)>",
                // Prevents automatic answers (RFC 3834 §5).
                "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=us-ascii",
                "Content-Transfer-Encoding: 7bit", "",
            ] + wording.lines
        return lines.flatMap { Array($0.utf8) + [0x0D, 0x0A] }
    }
}

/// A date of RFC 5322 §3.3 in UTC: `Thu, 26 Nov 2026 08:30:00 +0000`.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "01": "Jan", "02": "Feb", "03": "Mar", "04": "Apr", "05": "May", "06": "Jun", "07": "Jul", "08": "Aug",
        "09": "Sep", "10": "Oct", "11": "Nov", "12": "Dec",
    ]

    /// From 1970 on.
    static func text(of time: Timestamp) -> String {
        let time = max(time, Timestamp(milliseconds: 0))
        var text: [UInt8] = []
        time.append(to: &text)
        let part = { (start: Int, count: Int) in
            String(decoding: text.dropFirst(start).prefix(count), as: UTF8.self)
        }
        // 1970 began on a Thursday.
        let day = days[Int(time.milliseconds / 86_400_000 % 7)]
        return "\(day), \(part(8, 2)) \(months[part(5, 2)] ?? "") \(part(0, 4)) \(part(11, 8)) +0000"
    }
}
