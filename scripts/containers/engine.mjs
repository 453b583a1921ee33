// Podman with storage of its own, and Docker's Compose on podman's socket.
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram, Told } from '../set-up/commands.mjs'

const run = promisify(execFile)

/** @typedef {Awaited<ReturnType<typeof startEngine>>} Engine */

/**
 * A machine without systemd cannot use podman's defaults: nobody manages control groups, and nobody runs health checks.
 * Limits that podman asks for by itself may be more than the machine allows even root.
 */
const settings = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
init_path = "/usr/bin/catatonit"
log_driver = "k8s-file"
[network]
network_backend = "netavark"
`

/** @param {string} folder */
export async function startEngine(folder) {
  for (const program of ['podman', 'runc', 'debootstrap', 'docker-compose', 'catatonit']) assertInstalled(program)
  mkdirSync(folder, { recursive: true })
  const settingsFile = join(folder, 'containers.conf')
  writeFileSync(settingsFile, settings)
  const socket = join(folder, 'podman.sock')
  const env = { ...process.env, CONTAINERS_CONF: settingsFile, DOCKER_HOST: `unix://${socket}`, DOCKER_BUILDKIT: '0' }
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const service = spawn('podman', [...storage, 'system', 'service', '--time=0', `unix://${socket}`], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!existsSync(socket)) await pause(50)
  const podman = async (/** @type {string[]} */ ...args) =>
    (await run('podman', [...storage, ...args], { env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
  const health = healthChecks(podman)
  return {
    env: { ...env, PODMAN: ['podman', ...storage].join(' ') },
    podman,
    async close() {
      await health.stop()
      service.kill('SIGTERM')
    },
  }
}

/** @param {string} program */
function assertInstalled(program) {
  if (findProgram([program, `/usr/sbin/${program}`])) return
  const packages = 'podman runc catatonit netavark aardvark-dns iptables debootstrap docker-compose'
  const told = `${program} is missing: install it (Debian: sudo apt-get install ${packages}), then try again.`
  process.stderr.write(`${told}\n`)
  throw new Told(told)
}

/**
 * Podman leaves the rhythm of health checks to systemd timers. Where there is none, they are run from here.
 * @param {(...args: string[]) => Promise<string>} podman
 */
function healthChecks(podman) {
  let isRunning = true
  const loop = async () => {
    while (isRunning) {
      const names = (await podman('ps', '--format', '{{.Names}}').catch(() => '')).split('\n').filter(Boolean)
      for (const name of names) await podman('healthcheck', 'run', name).catch(() => 'unhealthy, or without a check')
      await pause(1_000)
    }
  }
  const ended = loop()
  return {
    stop: () => {
      isRunning = false
      return ended
    },
  }
}
