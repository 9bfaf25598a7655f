/// The version of this release, for `--version` and `gateway.status`.
package let parleyVersion = "0.1.0"
