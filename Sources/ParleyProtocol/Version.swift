/// The version of this release: what `--version` prints, and the `version` of `gateway.status`.
package let parleyVersion = "0.1.0"
