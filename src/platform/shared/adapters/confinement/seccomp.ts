// A seccomp filter for confined commands, as classic BPF (seccomp(2)). It covers the calls that namespaces and missing
// capabilities do not, and calls that hold memory or disk where a watcher does not see it.
import { constants } from 'node:os'

/** AUDIT_ARCH_* of linux/audit.h and the call numbers of the kernel's tables. */
const architectures = {
  x64: {
    audit: 0xc000003e,
    forbidden: {
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      ptrace: 101,
      bpf: 321,
      userfaultfd: 323,
      perf_event_open: 298,
    },
    unmapped: { memfd_create: 319, shmget: 29, shmat: 30, shmctl: 31, msgget: 68, msgsnd: 69, semget: 64 },
    fallocate: 285,
    spliced: { vmsplice: 278, splice: 275, tee: 276 },
    ioctl: 16,
    setsockopt: 54,
    socket: 41,
    /** x32 calls have this bit set and would bypass a list of numbers. */
    foreignBit: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    forbidden: {
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      ptrace: 117,
      bpf: 280,
      userfaultfd: 282,
      perf_event_open: 241,
    },
    unmapped: { memfd_create: 279, shmget: 194, shmat: 196, shmctl: 195, msgget: 186, msgsnd: 189, semget: 190 },
    fallocate: 47,
    spliced: { vmsplice: 75, splice: 76, tee: 77 },
    ioctl: 29,
    setsockopt: 208,
    socket: 198,
    foreignBit: undefined,
  },
} as const

/** Since Linux 5.1, new calls have the same number on all architectures: io_uring_setup, io_uring_enter, io_uring_register. */
const ioUring = [425, 426, 427]
const memfdSecret = 447

/** FS_IOC_RESVSP, FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE of linux/falloc.h do the same as fallocate. */
const allocatingRequests = [0x40305828, 0x4030582a, 0x40305839]

const solSocket = 1
/** SO_SNDBUF and SO_RCVBUF. Without them, a socket holds at most net.core.wmem_default. */
const bufferSizes = [7, 8]

/** Families outside a network namespace: AF_VSOCK reaches the host, AF_ALG reaches kernel code. */
const refusedFamilies = [40, 38]

const load = 0x20 // BPF_LD | BPF_W | BPF_ABS
const jumpIfEqual = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
const jumpIfSet = 0x45 // BPF_JMP | BPF_JSET | BPF_K
const answer = 0x06 // BPF_RET | BPF_K

const callNumber = 0
const architecture = 4
const argument = (at: number) => 16 + 8 * at

const allow = 0x7fff0000
const kill = 0x80000000
const fail = (errno: number) => 0x00050000 + errno // SECCOMP_RET_ERRNO
const refuse = fail(constants.errno.EPERM)
/** Programs then use a file instead, as on kernels without the call. */
const missing = fail(constants.errno.ENOSYS)
/** posix_fallocate(3) then writes the file. */
const unsupported = fail(constants.errno.EOPNOTSUPP)
const unsuitable = fail(constants.errno.EINVAL)
const succeedWithoutEffect = fail(0)

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]

/** Returns undefined for an unknown architecture. */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  const known = architectures[arch as keyof typeof architectures]
  if (!known) return undefined
  const program: Instruction[] = [
    [load, 0, 0, architecture],
    [jumpIfEqual, 1, 0, known.audit],
    [answer, 0, 0, kill],
    [load, 0, 0, callNumber],
    ...(known.foreignBit === undefined ? [] : when([jumpIfSet, 0, 1, known.foreignBit], refuse)),
    ...whenOneOf([...Object.values(known.forbidden), ...ioUring], refuse),
    ...whenOneOf([...Object.values(known.unmapped), memfdSecret], missing),
    ...whenOneOf([known.fallocate], unsupported),
    ...whenOneOf(Object.values(known.spliced), unsuitable),
    ...ofCall(known.ioctl, [[load, 0, 0, argument(1)], ...whenOneOf(allocatingRequests, unsupported)]),
    ...ofCall(known.setsockopt, [
      [load, 0, 0, argument(1)],
      ...when([jumpIfEqual, 1, 0, solSocket], allow),
      [load, 0, 0, argument(2)],
      ...whenOneOf(bufferSizes, succeedWithoutEffect),
    ]),
    ...ofCall(known.socket, [[load, 0, 0, argument(0)], ...whenOneOf(refusedFamilies, refuse)]),
    [answer, 0, 0, allow],
  ]
  return Buffer.concat(program.map(encode))
}

const when = (test: Instruction, then: number): Instruction[] => [test, [answer, 0, 0, then]]

const whenOneOf = (values: readonly number[], then: number) =>
  values.flatMap((value) => when([jumpIfEqual, 0, 1, value], then))

/** Ends with an answer, because the accumulator no longer holds the call number. */
const ofCall = (call: number, checks: readonly Instruction[]): Instruction[] => [
  [jumpIfEqual, 0, checks.length + 1, call],
  ...checks,
  [answer, 0, 0, allow],
]

/** struct sock_filter, little-endian on both architectures. */
function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
