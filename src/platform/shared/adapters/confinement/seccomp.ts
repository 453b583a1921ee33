// A filter of system calls for confined commands, as classic BPF (seccomp(2), Linux). Namespaces and missing
// capabilities refuse most of what could reach outside; these are the calls they do not cover.

/** AUDIT_ARCH_* of linux/audit.h, and the numbers of the calls in the kernel's tables for each. */
const architectures = {
  x64: {
    audit: 0xc000003e,
    calls: {
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      ptrace: 101,
      bpf: 321,
      userfaultfd: 323,
      perf_event_open: 298,
    },
    socket: 41,
    /** x32 calls have this bit set and would pass a list of numbers. */
    foreignBit: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      ptrace: 117,
      bpf: 280,
      userfaultfd: 282,
      perf_event_open: 241,
    },
    socket: 198,
    foreignBit: undefined,
  },
} as const

/** Since 5.1 new calls have one number on all architectures: io_uring_setup, io_uring_enter, io_uring_register. */
const ioUring = [425, 426, 427]

/** Families that a network namespace does not confine: AF_VSOCK reaches the machine's host, AF_ALG kernel code. */
const refusedFamilies = [40, 38]

const load = 0x20 // BPF_LD | BPF_W | BPF_ABS
const jumpIfEqual = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
const jumpIfSet = 0x45 // BPF_JMP | BPF_JSET | BPF_K
const answer = 0x06 // BPF_RET | BPF_K

/** Offsets in struct seccomp_data. */
const callNumber = 0
const architecture = 4
const firstArgument = 16

const allow = 0x7fff0000
const refuse = 0x00050000 + 1 // SECCOMP_RET_ERRNO | EPERM
const kill = 0x80000000

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]

/** Undefined on a machine whose calls are not known here; commands then run without the filter. */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  const known = architectures[arch as keyof typeof architectures]
  if (!known) return undefined
  const refused = [...Object.values(known.calls), ...ioUring]
  const program: Instruction[] = [
    [load, 0, 0, architecture],
    [jumpIfEqual, 1, 0, known.audit],
    [answer, 0, 0, kill],
    [load, 0, 0, callNumber],
    ...(known.foreignBit === undefined ? [] : rejectIf([jumpIfSet, 0, 1, known.foreignBit])),
    ...refused.flatMap((call) => rejectIf([jumpIfEqual, 0, 1, call])),
    [jumpIfEqual, 0, 1 + 2 * refusedFamilies.length, known.socket],
    [load, 0, 0, firstArgument],
    ...refusedFamilies.flatMap((family) => rejectIf([jumpIfEqual, 0, 1, family])),
    [answer, 0, 0, allow],
  ]
  return Buffer.concat(program.map(encode))
}

const rejectIf = (test: Instruction): Instruction[] => [test, [answer, 0, 0, refuse]]

/** struct sock_filter, in the byte order of both architectures. */
function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
