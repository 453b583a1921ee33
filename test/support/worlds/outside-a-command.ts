// Targets outside a confined command. The starting process can reach all of them.
import { chmodSync, copyFileSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'

const calls = {
  x64: { ptrace: 101, keyctl: 250, bpf: 321, perf: 298, socket: 41 },
  arm64: { ptrace: 117, keyctl: 219, bpf: 280, perf: 241, socket: 198 },
}[process.arch as 'x64' | 'arm64']

export type Outside = {
  /** A folder for a command, with the escape script and its input `outside.json`. */
  own: string
  /** A folder of another user. */
  other: string
  daemon: string
  /** Input of the script. */
  sought: object
  close(): void
}

export async function outsideACommand(folder: string, pid: number): Promise<Outside> {
  const [own, other, daemon] = [join(folder, 'own'), join(folder, 'other'), join(folder, 'daemon')]
  for (const each of [own, other]) mkdirSync(each)
  for (const each of [folder, own, other]) chmodSync(each, 0o777)
  const secret = `secret-${Math.random()}`
  const [file, leak] = [join(other, 'file'), join(folder, 'leaked-log')]
  for (const each of [file, leak]) writeFileSync(each, secret, { mode: 0o644 })
  openSync(leak, 'r')
  const servers: Server[] = []
  const socket = join(folder, 'store.sock')
  const abstractSocket = `causeway-outside-${process.pid}`
  const port = await listening(servers, { host: '0.0.0.0', port: 0 })
  for (const path of [socket, `\0${abstractSocket}`]) await listening(servers, { path })
  chmodSync(socket, 0o777)
  const sought = {
    ...{ secret, file, otherFolder: other, pid, port, socket, abstractSocket, leak, daemon },
    ...{ calls, hostname: hostname(), addresses: outsideAddresses() },
  }
  copyFileSync(waysOutScript, join(own, 'ways-out.mjs'))
  writeFileSync(join(own, 'outside.json'), JSON.stringify(sought), { mode: 0o644 })
  return { own, other, daemon, sought, close: () => servers.forEach((server) => void server.close()) }
}

/** Relative to the repository root, because the compiled file is elsewhere. */
const waysOutScript = 'test/platform/confinement/ways-out.mjs'

async function listening(servers: Server[], options: ListenOptions): Promise<number> {
  const server = createServer((socket) => socket.end())
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(options, resolve))
  return (server.address() as AddressInfo)?.port
}

const outsideAddresses = () =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  )
