// @ts-nocheck: it is copied into the confined folder and run there as it is.
// Runs inside a confined command and tries to get out. Prints one line of JSON: the names of what succeeded.
// What there is to find outside comes in a file, so that nothing is found by luck.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'

const outside = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))

/** True when a command ends well and, where a text is sought, prints it. */
const runs = (command, args, sought) => {
  const { status, stdout, error } = spawnSync(command, args, { timeout: 4_000, encoding: 'utf8' })
  if (error || status !== 0) return false
  return sought === undefined || stdout.includes(sought)
}
const shell = (script, sought) => runs('sh', ['-c', script], sought)
const reads = (path, sought) => {
  try {
    const text = fs.readFileSync(path, 'latin1')
    return sought === undefined || text.includes(sought)
  } catch {
    return false
  }
}
const writes = (path) => {
  try {
    fs.writeFileSync(path, 'x')
    return true
  } catch {
    return false
  }
}
const does = (act) => {
  try {
    act()
    return true
  } catch {
    return false
  }
}
const connects = (options) =>
  new Promise((resolve) => {
    const socket = net.connect(options)
    const end = (connected) => {
      socket.destroy()
      resolve(connected)
    }
    socket.setTimeout(1_500, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
const answers = (url) =>
  new Promise((resolve) => {
    const request = http.get(url, { timeout: 1_500 }, () => resolve(true))
    request.once('error', () => resolve(false))
    request.once('timeout', () => request.destroy())
  })
/** A system call by its number: perl has them all without a compiler. */
const systemCall = (number, ...args) =>
  runs('perl', ['-e', `exit(syscall(${[number, ...args].join(',')}) < 0 ? 1 : 0)`])
const inNumbers = fs
  .readdirSync('/proc')
  .filter((name) => /^\d+$/.test(name))
  .map(Number)

const attempts = {
  'file outside': () => reads(outside.file, outside.secret),
  'file outside by dots': () => reads(`/home/user/../..${outside.file}`, outside.secret),
  'file outside through the root of process 1': () => reads(`/proc/1/root${outside.file}`, outside.secret),
  'file outside by a symbolic link': () =>
    does(() => fs.symlinkSync(outside.file, '/tmp/link')) && reads('/tmp/link', outside.secret),
  'file outside by a hard link': () => does(() => fs.linkSync(outside.file, '/tmp/hard')),
  'files of another workspace': () => reads(`${outside.otherFolder}/file`, outside.secret),
  'passwords of the machine': () => reads('/etc/shadow'),
  'settings of the machine': () => reads('/etc/hostname') || reads('/etc/environment') || reads('/etc/machine-id'),
  'home of root': () => does(() => fs.readdirSync('/root')),
  'variable files': () => does(() => fs.readdirSync('/var')),
  'run files': () => does(() => fs.readdirSync('/run')) && fs.readdirSync('/run').some((name) => name !== 'node'),
  'temporary files of others': () => fs.readdirSync('/tmp').some((name) => name.startsWith('causeway')),
  'environment of the platform': () =>
    inNumbers.some((pid) => reads(`/proc/${pid}/environ`, outside.secret)) ||
    reads(`/proc/${outside.pid}/environ`, outside.secret),
  'memory of process 1': () => does(() => fs.readSync(fs.openSync('/proc/1/mem', 'r'), Buffer.alloc(8), 0, 8, 65_536)),
  'more processes than its own': () => inNumbers.length > 12,
  'command line of the platform': () => inNumbers.some((pid) => reads(`/proc/${pid}/cmdline`, 'vitest')),
  'signal to the platform': () => does(() => process.kill(outside.pid, 0)),
  'signal to everybody': () => does(() => process.kill(-1, 0)) && false,
  'trace a process': () => systemCall(outside.calls.ptrace, 16, outside.pid, 0, 0),
  'store by its port': () => connects({ host: '127.0.0.1', port: outside.port }),
  'store by IPv6': () => connects({ host: '::1', port: outside.port }),
  'store by its socket': () => connects({ path: outside.socket }),
  'store by an abstract socket': () => connects({ path: `\0${outside.abstractSocket}` }),
  'metadata of the cloud': () => answers('http://169.254.169.254/latest/meta-data/'),
  'address of the machine': () =>
    outside.addresses.length > 0 && connects({ host: outside.addresses[0], port: outside.port }),
  'network devices but loopback': () => Object.keys(os.networkInterfaces()).some((name) => name !== 'lo'),
  'host of the machine by vsock': () => systemCall(outside.calls.socket, 40, 1, 0),
  'crypto of the kernel': () => systemCall(outside.calls.socket, 38, 5, 0),
  'raw packets': () => systemCall(outside.calls.socket, 17, 3, 768),
  'keys of the session': () => systemCall(outside.calls.keyctl, 0, -3, 1),
  io_uring: () => shell('perl -e \'my $p = "\\0" x 120; exit(syscall(425, 1, $p) < 0 ? 1 : 0)\''),
  bpf: () => systemCall(outside.calls.bpf, 0, 0, 0),
  'perf events': () =>
    shell(`perl -e 'my $p = "\\0" x 128; exit(syscall(${outside.calls.perf}, $p, 0, -1, -1, 0) < 0 ? 1 : 0)'`),
  'user namespace': () => runs('unshare', ['-U', 'true']),
  'mount namespace': () => runs('unshare', ['-m', 'true']),
  mount: () => runs('mount', ['-t', 'tmpfs', 'none', '/tmp']),
  unmount: () => runs('umount', ['/usr']),
  'write to the system': () => writes('/usr/bin/x') || writes('/etc/x') || writes('/bin/x') || writes('/dev/x'),
  'write to the root': () => writes('/x'),
  'write to settings of the kernel': () =>
    writes('/proc/sys/kernel/core_pattern') || writes('/proc/sys/vm/drop_caches') || writes('/proc/sysrq-trigger'),
  'control groups': () => writes('/sys/fs/cgroup/cgroup.procs') || writes('/sys/fs/cgroup/memory/cgroup.procs'),
  devices: () => reads('/dev/vda') || reads('/dev/sda') || reads('/dev/mem') || reads('/dev/kmsg'),
  'make a device': () => runs('mknod', ['/tmp/disk', 'b', '254', '0']) && reads('/tmp/disk'),
  'become root': () => shell('su -c id </dev/null') || shell('sudo -n id') || shell('setpriv --reuid 0 true'),
  capabilities: () => !/CapEff:\s+0{16}/.test(fs.readFileSync('/proc/self/status', 'utf8')),
  'gain privileges': () => !/NoNewPrivs:\s+1/.test(fs.readFileSync('/proc/self/status', 'utf8')),
  'descriptors of the platform': () =>
    fs.readdirSync('/proc/self/fd').some((fd) => {
      const target = does(() => fs.readlinkSync(`/proc/self/fd/${fd}`)) ? fs.readlinkSync(`/proc/self/fd/${fd}`) : ''
      return target.includes(outside.leak)
    }),
  'name of the machine': () => os.hostname() === outside.hostname,
  'set the name of the machine': () => runs('hostname', ['other']),
  'set the clock': () => runs('date', ['-s', '2001-01-01']),
  'shared memory of others': () => shell('ipcs -m', '0x'),
  'outlive the command': () => {
    spawn('sh', ['-c', 'sleep 300; :', outside.daemon], { detached: true, stdio: 'ignore' }).unref()
    return false
  },
}

const succeeded = []
for (const [name, attempt] of Object.entries(attempts)) if (await attempt()) succeeded.push(name)
console.log(JSON.stringify({ tried: Object.keys(attempts).length, succeeded }))
