// PostgreSQL refuses to run as root, so root runs it as an account that exists everywhere.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'

export type Account = { uid: number; gid: number }

/** For a checkout in a folder that only root can enter. */
const commonFolder = '/var/lib/causeway'

/** Undefined for an ordinary user, who runs the servers. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => accounts.find((fields) => fields[0] === name)).find(Boolean)
  return found && { uid: Number(found[2]), gid: Number(found[3]) }
}

/** If the account can't enter the given folder, returns another one and links to it from there. */
export function ownedFolder(folder: string, account: Account | undefined): string {
  mkdirSync(join(folder, '..'), { recursive: true })
  if (!account || canEnter(join(folder, '..'), account)) return own(folder, account)
  openCommonFolder()
  const standIn = join(commonFolder, createHash('sha256').update(folder).digest('hex').slice(0, 16))
  own(standIn, account)
  if (!existsSync(folder)) symlinkSync(standIn, folder)
  return standIn
}

function own(folder: string, account: Account | undefined): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (account) chownSync(folder, account.uid, account.gid)
  return folder
}

/** Returns the folder of the programs, or of a copy if the account can't run them there. */
export function reachablePrograms(root: string, version: string, account: Account | undefined): string {
  if (!account || canEnter(join(root, 'bin'), account)) return root
  const copy = join(commonFolder, `postgresql-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  openCommonFolder()
  cpSync(root, unfinished, { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', unfinished])
  try {
    renameSync(unfinished, copy)
  } catch {
    rmSync(unfinished, { recursive: true, force: true }) // another start was faster
  }
  return copy
}

function openCommonFolder() {
  mkdirSync(commonFolder, { recursive: true })
  chmodSync(commonFolder, 0o755) // regardless of the umask
}

function canEnter(folder: string, { uid, gid }: Account): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0
}
