// swift-tools-version: 6.2
import PackageDescription

// The floors of docs/architecture.md: a target imports only what stands below it.
// `scripts/check-floors.sh` holds this list to that table.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A person waits for the command-line tool to be built, and never for what it computes by itself: what takes time is
/// in the modules below it, which are optimized.
let quicklyBuilt: [SwiftSetting] = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The broker loads the plugin into a process that knows nothing of Swift: it carries its runtime with it.
let selfContained: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"])]

/// Where Foundation finds time zones by name: a linker that is not told leaves it out of a program that carries the
/// runtime, which then takes every machine for one in GMT, without a word.
let timeZones: [LinkerSetting] = [
    .unsafeFlags(
        ["12_TimeZoneICUCN", "15_TimeZoneGMTICUCN"].flatMap {
            ["-Xlinker", "-u", "-Xlinker", "$s30FoundationInternationalization\($0)"]
        }, .when(platforms: [.linux], configuration: .release))
]

/// Whether the gateway's store may be in PostgreSQL: see below.
let hasPostgreSQL = Context.environment["PARLEY_POSTGRESQL_STORE"] != nil

/// A product that an app never links: without the trait its package is not resolved (decision 0088).
func gateway(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Gateway"]))
}

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = gateway("Logging", "swift-log")
let argumentParser = gateway("ArgumentParser", "swift-argument-parser")
let package = Package(
    name: "Parley",
    products: [
        // With the modules whose types stand in its declarations.
        .library(
            name: "ParleyClient",
            targets: ["ParleyClient", "ParleyCrypto", "ParleyDeviceStore", "ParleyProtocol", "PrivateFiles"]),
        // The transport of libmosquitto for it; an app on another system brings its own.
        .library(name: "ParleyMosquitto", targets: ["ParleyMosquitto"]),
        // Its way to a web door by libcurl, which files go by.
        .library(name: "ParleyCurl", targets: ["ParleyCurl"]),
        .library(name: "ParleyBrokerPlugin", type: .dynamic, targets: ["ParleyBrokerPlugin"]),
        .executable(name: "parleyd", targets: ["parleyd"]),
        .executable(name: "parley", targets: ["parley"]),
    ],
    traits: [
        .default(enabledTraits: ["Gateway"]),
        .trait(
            name: "Gateway", description: "The programs and their tests. An app that links the client leaves it out."),
        .trait(name: "NIO", description: "The client's transport of SwiftNIO, and its package."),
    ],
    dependencies: [
        // The client's own. What an app resolves beside it is the app's choice.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The programs' own, in the versions that they are tested with.
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        // Floor 0: C libraries.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev", "libssl-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CMosquittoBroker", providers: [.apt(["mosquitto-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Floor 1: the contract, and one owner for each C library.
        .target(name: "ParleyProtocol", swiftSettings: strict),
        .target(name: "Platform", swiftSettings: strict),
        .target(name: "Sodium", dependencies: ["CSodium"], swiftSettings: strict),
        .target(name: "OpenSSL", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "PrivateFiles", dependencies: ["Platform"], swiftSettings: strict),
        .target(name: "MQTTClient", dependencies: ["CMosquitto", "Platform"], swiftSettings: strict),
        .target(name: "MQTTPackets", swiftSettings: strict),
        .target(name: "HTTPClient", dependencies: ["CCurl", "Platform"], swiftSettings: strict),
        .target(name: "Zlib", dependencies: ["CZlib"], swiftSettings: strict),
        .target(name: "Prometheus", swiftSettings: strict),
        .target(
            name: "LogLines", dependencies: ["ParleyProtocol", "Platform", logging], swiftSettings: strict),

        // Floor 2: pure decisions, the ciphers of devices, and pictures for terminals.
        .target(name: "ParleyRules", dependencies: ["ParleyProtocol"], swiftSettings: strict),
        .target(name: "ParleyCrypto", dependencies: ["OpenSSL", "ParleyProtocol", "Sodium"], swiftSettings: strict),
        .target(name: "TerminalPictures", dependencies: ["ParleyProtocol", "Zlib"], swiftSettings: strict),

        // Floor 3: what remembers.
        .target(
            name: "ParleyStore", dependencies: ["ParleyProtocol", "ParleyRules", "PrivateFiles", grdb, grdbSQLite],
            swiftSettings: strict),

        .target(
            name: "ParleyDeviceStore", dependencies: ["ParleyProtocol", "Platform", "PrivateFiles", "Sodium", grdb],
            swiftSettings: strict),

        .target(
            name: "ParleyPush",
            dependencies: ["HTTPClient", "OpenSSL", "ParleyProtocol", "Platform", "Sodium", logging],
            swiftSettings: strict),

        .target(
            name: "ParleyIdentity",
            dependencies: ["HTTPClient", "OpenSSL", "ParleyProtocol", "PrivateFiles", logging],
            swiftSettings: strict),

        // Floor 4: the gateway's service, and what a device links.
        .target(
            name: "ParleyBridge",
            dependencies: [
                "MQTTClient", "ParleyIdentity", "ParleyProtocol", "ParleyPush", "ParleyRules", "ParleyStore",
                "Platform", "PrivateFiles", "Prometheus", "Sodium", logging,
            ],
            swiftSettings: strict, linkerSettings: timeZones),
        .target(
            name: "ParleyClient",
            dependencies: [
                "MQTTPackets", "ParleyCrypto", "ParleyDeviceStore", "ParleyProtocol", "Platform", "PrivateFiles",
                "Sodium",
            ],
            swiftSettings: strict),
        .target(
            name: "ParleyMosquitto", dependencies: ["MQTTClient", "ParleyClient", "ParleyProtocol", "Platform"],
            swiftSettings: strict),

        .target(
            name: "ParleyCurl", dependencies: ["HTTPClient", "OpenSSL", "ParleyClient", "ParleyProtocol", "Platform"],
            swiftSettings: strict),

        // Floor 5: programs.
        .executableTarget(
            name: "parleyd",
            dependencies: ["LogLines", "ParleyBridge", "Platform", "PrivateFiles", argumentParser, logging],
            swiftSettings: strict),
        .executableTarget(
            name: "parley",
            dependencies: [
                "HTTPClient", "ParleyClient", "ParleyCrypto", "ParleyCurl", "ParleyDeviceStore", "ParleyIdentity",
                "ParleyMosquitto", "ParleyProtocol", "Platform", "PrivateFiles", "TerminalPictures", argumentParser,
            ],
            swiftSettings: quicklyBuilt, linkerSettings: timeZones),
        // An app, as docs/client.md shows it: it links what apps link.
        .executableTarget(
            name: "parley-example", dependencies: ["ParleyClient", "ParleyMosquitto", "ParleyProtocol"],
            path: "docs/example", swiftSettings: strict),
        .target(
            name: "ParleyBrokerPlugin", dependencies: ["CMosquittoBroker", "ParleyProtocol", "ParleyRules", "Sodium"],
            swiftSettings: strict, linkerSettings: selfContained),
        .target(
            name: "ParleyPrograms", dependencies: ["ParleyBrokerPlugin", "parleyd"], swiftSettings: strict),

        // Tests: what several of them need.
        .target(
            name: "GatewaySite",
            dependencies: [
                "Launch", "MQTTWire", "ParleyBridge", "ParleyProtocol", "ParleyRules", "ParleyStore", "Platform",
                argumentParser,
            ], path: "Tests/Support/GatewaySite", swiftSettings: strict),
        .systemLibrary(
            name: "CHTTPDoubles", path: "Tests/Support/CHTTPDoubles", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev", "libssl-dev"])]),
        .target(
            name: "HTTPDoubles", dependencies: ["CHTTPDoubles", "Platform"], path: "Tests/Support/HTTPDoubles",
            swiftSettings: strict),
        .target(
            name: "IdentityDoubles",
            dependencies: ["HTTPDoubles", "OpenSSL", "ParleyIdentity", "ParleyProtocol", "TestSupport"],
            path: "Tests/Support/IdentityDoubles", swiftSettings: strict),
        .target(name: "Launch", dependencies: ["Platform"], path: "Tests/Support/Launch", swiftSettings: strict),
        .target(
            name: "MQTTWire", dependencies: ["MQTTPackets", "Platform"], path: "Tests/Support/MQTTWire",
            swiftSettings: strict),
        .target(name: "RepeatableRandom", path: "Tests/Support/RepeatableRandom", swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["Launch", "ParleyProtocol", "RepeatableRandom"],
            path: "Tests/Support/TestSupport", swiftSettings: strict),
        .target(
            name: "TestNames", dependencies: ["ParleyProtocol"], path: "Tests/Support/TestNames", swiftSettings: strict),
        .target(
            name: "TestedStores", dependencies: ["ParleyStore", "TestSupport"], path: "Tests/Support/TestedStores",
            exclude: hasPostgreSQL ? [] : ["PostgreSQL"], swiftSettings: strict),
        .target(
            name: "MemoryTransport", dependencies: ["LyingGateway", "ParleyClient", "ParleyProtocol", "TestSupport"],
            path: "Tests/Support/MemoryTransport", swiftSettings: strict),
        .target(
            name: "TestedPrograms", dependencies: ["ParleyBrokerPlugin", "parley", "parley-model", "parleyd"],
            path: "Tests/Support/TestedPrograms", swiftSettings: strict),
        .testTarget(
            name: "MQTTWireTests", dependencies: ["MQTTPackets", "MQTTWire"], path: "Tests/Support/MQTTWireTests",
            swiftSettings: strict),

        // Tests: second opinions on what the rules decide. They import nothing of what they judge.
        .target(name: "Oracles", path: "Tests/Oracles/Oracles", swiftSettings: strict),
        .executableTarget(
            name: "parley-model",
            dependencies: ["Oracles", "ParleyProtocol", "ParleyRules", "Platform", "RepeatableRandom", argumentParser],
            path: "Tests/Oracles/parley-model", swiftSettings: strict, linkerSettings: timeZones),

        // Tests: hostile gateways, devices and moments.
        .target(
            name: "LyingGateway",
            dependencies: ["MQTTWire", "ParleyCrypto", "ParleyProtocol", "Platform", "RepeatableRandom", "Sodium"],
            path: "Tests/Adversaries/LyingGateway", swiftSettings: strict),
        .executableTarget(
            name: "parley-liar", dependencies: ["LyingGateway", "ParleyClient", "ParleyProtocol", argumentParser],
            path: "Tests/Adversaries/parley-liar", swiftSettings: strict),
        .executableTarget(
            name: "parley-trials",
            dependencies: [
                "GatewaySite", "Launch", "MQTTPackets", "MQTTWire", "ParleyBridge", "ParleyProtocol", "ParleyRules",
                "ParleyStore", "Platform", "RepeatableRandom", argumentParser,
            ], path: "Tests/Adversaries/parley-trials", exclude: hasPostgreSQL ? [] : ["Cells"], swiftSettings: strict),
        .testTarget(
            name: "LyingGatewayTests",
            dependencies: [
                "LyingGateway", "ParleyClient", "ParleyCrypto", "ParleyMosquitto", "ParleyProtocol", "TestSupport",
            ], path: "Tests/Adversaries/LyingGatewayTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyTrialsTests", dependencies: ["ParleyProtocol", "parley-trials"],
            path: "Tests/Adversaries/ParleyTrialsTests", swiftSettings: strict),

        // Tests: measurements.
        .executableTarget(
            name: "parley-bench",
            dependencies: [
                "GatewaySite", "Launch", "MQTTClient", "MQTTPackets", "MQTTWire", "ParleyBridge", "ParleyClient",
                "ParleyCrypto", "ParleyMosquitto", "ParleyProtocol", "ParleyRules", "ParleyStore", "Platform",
                "OpenSSL", "RepeatableRandom", "Sodium", argumentParser,
            ], path: "Tests/Benchmarks/parley-bench", exclude: hasPostgreSQL ? [] : ["Cells", "Writers"],
            swiftSettings: strict),
        .testTarget(
            name: "ParleyBenchmarksTests",
            dependencies: ["GatewaySite", "MQTTPackets", "parley-bench", "ParleyProtocol"],
            path: "Tests/Benchmarks/ParleyBenchmarksTests", exclude: hasPostgreSQL ? [] : ["Cells"],
            swiftSettings: strict),

        // Tests of one target each.
        .testTarget(
            name: "ParleyProtocolTests", dependencies: ["ParleyProtocol", "TestSupport"],
            path: "Tests/Unit/ParleyProtocolTests", swiftSettings: strict),
        .testTarget(
            name: "PlatformTests", dependencies: ["Platform", "TestSupport"], path: "Tests/Unit/PlatformTests",
            swiftSettings: strict),
        .testTarget(
            name: "LogLinesTests", dependencies: ["LogLines", "ParleyProtocol", logging],
            path: "Tests/Unit/LogLinesTests", swiftSettings: strict),
        .testTarget(
            name: "PrometheusTests", dependencies: ["Prometheus"], path: "Tests/Unit/PrometheusTests",
            swiftSettings: strict),
        .testTarget(
            name: "SodiumTests", dependencies: ["Sodium", "TestSupport"], path: "Tests/Unit/SodiumTests",
            swiftSettings: strict),
        .testTarget(
            name: "OpenSSLTests", dependencies: ["OpenSSL", "TestSupport"], path: "Tests/Unit/OpenSSLTests",
            swiftSettings: strict),
        .testTarget(
            name: "ZlibTests", dependencies: ["TestSupport", "Zlib"], path: "Tests/Unit/ZlibTests",
            swiftSettings: strict),
        .testTarget(
            name: "TerminalPicturesTests", dependencies: ["ParleyProtocol", "TerminalPictures", "TestSupport", "Zlib"],
            path: "Tests/Unit/TerminalPicturesTests", swiftSettings: strict),
        .testTarget(
            name: "PrivateFilesTests", dependencies: ["PrivateFiles", "TestSupport"],
            path: "Tests/Unit/PrivateFilesTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyCryptoTests", dependencies: ["ParleyCrypto", "ParleyProtocol", "Sodium", "TestSupport"],
            path: "Tests/Unit/ParleyCryptoTests", swiftSettings: strict),
        .testTarget(
            name: "MQTTClientTests", dependencies: ["Launch", "MQTTClient", "MQTTWire", "Platform", "TestSupport"],
            path: "Tests/Unit/MQTTClientTests", swiftSettings: strict),
        .testTarget(
            name: "MQTTPacketsTests", dependencies: ["MQTTPackets", "TestSupport"],
            path: "Tests/Unit/MQTTPacketsTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyRulesTests",
            dependencies: ["Oracles", "ParleyRules", "ParleyProtocol", "parley-model", "TestNames", "TestSupport"],
            path: "Tests/Unit/ParleyRulesTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyPushTests",
            dependencies: [
                "HTTPClient", "HTTPDoubles", "MQTTWire", "OpenSSL", "ParleyProtocol", "ParleyPush", "Sodium",
                "TestNames", "TestSupport", logging,
            ], path: "Tests/Unit/ParleyPushTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyIdentityTests",
            dependencies: [
                "HTTPClient", "HTTPDoubles", "IdentityDoubles", "OpenSSL", "ParleyIdentity", "ParleyProtocol",
                "PrivateFiles", "TestSupport", logging,
            ], path: "Tests/Unit/ParleyIdentityTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyBridgeTests",
            dependencies: [
                "HTTPClient", "ParleyBridge", "ParleyIdentity", "ParleyProtocol", "ParleyPush", "ParleyRules",
                "ParleyStore", "MQTTClient", "MQTTWire", "Platform", "Sodium", logging, "TestNames",
                "TestSupport", "TestedStores",
            ], path: "Tests/Unit/ParleyBridgeTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyClientTests",
            dependencies: [
                "ParleyClient", "MemoryTransport", "MQTTPackets", "ParleyCrypto", "ParleyDeviceStore", "ParleyProtocol",
                "PrivateFiles", "Sodium", "TestSupport",
            ], path: "Tests/Unit/ParleyClientTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyMosquittoTests",
            dependencies: [
                "LyingGateway", "MQTTClient", "ParleyClient", "ParleyMosquitto", "ParleyProtocol", "TestSupport",
            ], path: "Tests/Unit/ParleyMosquittoTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyCurlTests",
            dependencies: [
                "HTTPClient", "HTTPDoubles", "ParleyClient", "ParleyCurl", "ParleyProtocol", "TestNames", "TestSupport",
            ], path: "Tests/Unit/ParleyCurlTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyToolTests",
            dependencies: [
                "HTTPDoubles", "parley", "ParleyClient", "ParleyCrypto", "ParleyProtocol", "Sodium", "TestNames",
                "TestSupport", argumentParser,
            ], path: "Tests/Unit/ParleyToolTests", swiftSettings: strict),

        // Tests of the stores, on database files.
        .testTarget(
            name: "ParleyDeviceStoreTests",
            dependencies: ["ParleyDeviceStore", "ParleyProtocol", "Sodium", "TestNames", "TestSupport"],
            path: "Tests/Store/ParleyDeviceStoreTests", swiftSettings: strict),
        .testTarget(
            name: "ParleyStoreTests",
            dependencies: ["ParleyProtocol", "ParleyRules", "ParleyStore", "TestNames", "TestSupport", "TestedStores"],
            path: "Tests/Store/ParleyStoreTests", exclude: hasPostgreSQL ? [] : ["PostgreSQL"],
            swiftSettings: strict),

        // Tests of the whole, with a real broker and the real plugin.
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "ParleyBridge", "ParleyClient", "ParleyCrypto", "ParleyCurl", "ParleyIdentity", "ParleyMosquitto",
                "ParleyProtocol", "ParleyRules", "ParleyStore", "HTTPDoubles", "IdentityDoubles", "Launch",
                "MQTTClient",
                "MQTTPackets", "MQTTWire", "OpenSSL", "Oracles", "Platform", "Sodium", "TestSupport",
            ], path: "Tests/Integration", exclude: hasPostgreSQL ? [] : ["Cells"], swiftSettings: strict),
    ]
)

// The web door, and the client's transport over SwiftNIO. scripts/run.sh builds without them at first: the gateway is
// up before what only the door needs is fetched.
if Context.environment["PARLEY_GATEWAY_ALONE"] == nil {
    let httpTypes = gateway("HTTPTypes", "swift-http-types")
    let hummingbird = gateway("HummingbirdCore", "hummingbird")
    let lifecycle = gateway("ServiceLifecycle", "swift-service-lifecycle")
    let signals = gateway("UnixSignals", "swift-service-lifecycle")
    let metrics = gateway("Metrics", "swift-metrics")
    /// Also behind the trait of the transport alone.
    func nio(_ names: String...) -> [Target.Dependency] {
        names.map { .product(name: $0, package: "swift-nio", condition: .when(traits: ["Gateway", "NIO"])) }
    }
    let nioHTTPTypes = ["NIOHTTPTypes", "NIOHTTPTypesHTTP1"].map { gateway($0, "swift-nio-extras") }

    package.products += [
        .executable(name: "parley-web", targets: ["parley-web"]),
        .library(name: "ParleyNIO", targets: ["ParleyNIO"]),
    ]
    package.dependencies += [
        // Also an app's, which may want another.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ]
    for target in package.targets where target.name == "IntegrationTests" {
        target.dependencies +=
            ["ParleyNIO", "ParleyWeb", lifecycle] + nio("NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
    }
    package.targets += [
        .target(
            name: "ParleyNIO", dependencies: ["ParleyClient", "Platform"] + nio("NIOCore", "NIOPosix"),
            swiftSettings: strict),
        .testTarget(
            name: "ParleyNIOTests",
            dependencies: [
                "LyingGateway", "MQTTWire", "ParleyClient", "ParleyNIO", "ParleyProtocol", "TestNames", "TestSupport",
            ] + nio("NIOCore", "NIOPosix"), path: "Tests/Unit/ParleyNIOTests", swiftSettings: strict),
        .target(
            name: "ParleyWeb",
            dependencies: [
                "HTTPClient", "MQTTPackets", "OpenSSL", "ParleyProtocol", "Platform", "PrivateFiles", "Prometheus",
                "Sodium", "Zlib", httpTypes, hummingbird, lifecycle, logging, metrics,
            ] + nioHTTPTypes
                + nio("NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"),
            swiftSettings: strict),
        .executableTarget(
            name: "parley-web",
            dependencies: ["LogLines", "ParleyWeb", "Platform", argumentParser, lifecycle, logging, metrics, signals],
            swiftSettings: strict),
        .testTarget(
            name: "ParleyWebTests",
            dependencies: [
                "HTTPDoubles", "Launch", "MQTTPackets", "MQTTWire", "OpenSSL", "ParleyProtocol", "ParleyWeb",
                "PrivateFiles", "TestSupport", "Zlib", httpTypes, logging,
            ] + nio("NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded", "NIOPosix", "NIOWebSocket"),
            path: "Tests/Unit/ParleyWebTests", swiftSettings: strict),
    ]
}

// The gateway's store in PostgreSQL, for more machines than one. Only who wants it needs libpq: without the variable
// there is neither a target nor a test of it.
//
// It is no trait: SwiftPM would compile these targets without it too, and everything anew whenever it changes.
if hasPostgreSQL {
    package.targets += [
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "PostgreSQL", dependencies: ["CPostgreSQL", "Platform"], swiftSettings: strict),
        .target(
            name: "ParleyPostgreSQL",
            dependencies: [
                "ParleyProtocol", "ParleyRules", "ParleyStore", "Platform", "PostgreSQL", "PrivateFiles", "Sodium",
            ], swiftSettings: strict),
        .target(
            name: "PostgreSQLServer", dependencies: ["Launch", "MQTTWire", "Platform", "PostgreSQL"],
            path: "Tests/Support/PostgreSQLServer", swiftSettings: strict),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: ["MQTTWire", "Platform", "PostgreSQL", "PostgreSQLServer", "TestSupport"],
            path: "Tests/Unit/PostgreSQLTests", swiftSettings: strict),
    ]
    for target in package.targets where target.name == "ParleyStoreTests" {
        target.dependencies.append("ParleyPostgreSQL")
    }
    for target in package.targets where target.name == "IntegrationTests" {
        target.dependencies += ["ParleyPostgreSQL", "PostgreSQL", "PostgreSQLServer"]
        target.swiftSettings?.append(.define("POSTGRESQL_STORE"))
    }
    for target in package.targets where ["TestedStores", "parley-trials"].contains(target.name) {
        target.dependencies += ["ParleyPostgreSQL", "PostgreSQL", "PostgreSQLServer"]
        target.swiftSettings?.append(.define("POSTGRESQL_STORE"))
    }
    for target in package.targets where target.name == "parley-bench" {
        target.dependencies += ["ParleyPostgreSQL", "PostgreSQL", "PostgreSQLServer"]
        target.swiftSettings?.append(.define("POSTGRESQL_STORE"))
    }
    for target in package.targets where target.name == "parleyd" {
        target.dependencies += ["ParleyPostgreSQL", "ParleyStore"]
        target.swiftSettings?.append(.define("POSTGRESQL_STORE"))
    }
}
