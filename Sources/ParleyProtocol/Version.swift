/// The version of this release: what `--version` prints and the gateway's status says.
package let parleyVersion = "0.1.0"
