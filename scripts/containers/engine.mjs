// Podman with separate storage, and Docker Compose on its socket.
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram, Told } from '../set-up/commands.mjs'

const run = promisify(execFile)

/** @typedef {Awaited<ReturnType<typeof startEngine>>} Engine */

/**
 * Without systemd, podman can neither manage control groups nor run health checks. Its default limits may exceed the
 * limits of root.
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
  for (const program of ['podman', 'runc', 'debootstrap', 'docker-compose', 'docker', 'catatonit'])
    assertInstalled(program)
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
  const packages = 'podman runc catatonit netavark aardvark-dns iptables debootstrap docker-compose docker.io'
  const told = `${program} is missing: install it (Debian: sudo apt-get install ${packages}), then try again.`
  process.stderr.write(`${told}\n`)
  throw new Told(told)
}

/**
 * Runs health checks, which podman leaves to systemd timers.
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
