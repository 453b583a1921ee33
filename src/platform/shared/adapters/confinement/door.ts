// A port on loopback inside a confined command, whose connections this process accepts. A socket stays in the network
// namespace in which it was created (network_namespaces(7)), so nothing inside has to forward bytes.
import { Server } from 'node:net'
import type { AccountDoor } from '../../domain/account-door.ts'
import type { Child } from './spawn-child.ts'

const doorPort = 3128
export const trustFile = '/etc/accounts-ca.pem'

const address = `http://127.0.0.1:${doorPort}`

/** Read by curl, Git, OpenSSL, Node and Python's requests. */
const doorVariables = {
  HTTPS_PROXY: address,
  https_proxy: address,
  NO_PROXY: '',
  no_proxy: '',
  NODE_USE_ENV_PROXY: '1',
  SSL_CERT_FILE: trustFile,
  CURL_CA_BUNDLE: trustFile,
  GIT_SSL_CAINFO: trustFile,
  NODE_EXTRA_CA_CERTS: trustFile,
  REQUESTS_CA_BUNDLE: trustFile,
}

export const withDoor = (env: Readonly<Record<string, string>>, door: AccountDoor | undefined) =>
  door ? { ...door.placeholders, ...env, ...doorVariables } : env

/** POSIX shells redirect only descriptors of one digit. */
export const doorDescriptor = 9
export const trustDescriptor = 10

/** Node passes a socket over its own channel only. The program ends before the command starts. */
const listener = `const s = require("node:net").createServer().listen(${doorPort}, "127.0.0.1", () => process.send("", s)); process.once("disconnect", () => process.exit(s.listening ? 0 : 1))`

export const openDoor = (node: string): string =>
  `env -i NODE_CHANNEL_FD=${doorDescriptor} "${node}" -e '${listener}' || exit 1\n`

/** Ends the channel before the command can start. */
export function receiveDoor(child: Child, door: AccountDoor): void {
  child.once('message', (_message, listening: unknown) => {
    if (listening instanceof Server) door.open(listening)
    child.disconnect()
  })
}
