import { z } from 'zod'
import { isWithoutNul, noNul, VariableName } from '../control-plane/environment.ts'
import { StorageMount } from '../control-plane/runtime.ts'
import { Flag } from '../query.ts'

export const SandboxFile = z.object({
  path: z.string(),
  name: z.string(),
  size: z.int(),
  lastModified: z.iso.datetime(),
})

export const FolderListing = z.object({
  path: z.string(),
  name: z.string(),
  files: z.array(SandboxFile),
  subdirectories: z.array(z.object({ path: z.string(), name: z.string() })),
  truncated: z.literal(true).optional(),
})

export const FolderTree = FolderListing.extend({
  get subdirectories() {
    return z.array(FolderTree)
  },
})
export type FolderTree = z.infer<typeof FolderTree>

export const DriveMount = StorageMount
export type DriveMount = z.infer<typeof DriveMount>

export const SandboxDrives = z.object({ drives: z.array(DriveMount) })

/** A drive is mounted as a whole. */
export const NamedDriveMount = z.object({
  driveName: StorageMount.shape.name,
  mountPath: StorageMount.shape.mountPath,
  drivePath: z.literal('/', 'must be /: a drive is mounted as a whole').optional(),
  readOnly: z.boolean().default(false),
})

export const MountedDrive = NamedDriveMount.extend({ success: z.literal(true), message: z.string() })

export const UnmountedDrive = z.object({ success: z.literal(true), message: z.string(), mountPath: z.string() })

export const MountedDrives = z.object({
  mounts: z.array(
    z.object({ driveName: z.string(), drivePath: z.string(), mountPath: z.string(), readOnly: z.boolean() }),
  ),
})
export type MountedDrives = z.infer<typeof MountedDrives>

export const SandboxProcessInput = z.object({
  /** For a POSIX shell. */
  command: z.string().min(1).max(32_768).refine(isWithoutNul, noNul),
  name: z
    .string()
    .regex(/^(?!\d+$)[\w.-]{1,63}$/, 'must be letters, digits, dots, hyphens or underscores, and not only digits')
    .optional(),
  workingDir: z.string().max(1_024).startsWith('/').refine(isWithoutNul, noNul).optional(),
  env: z.record(VariableName, z.string().max(32_768).refine(isWithoutNul, noNul)).default({}),
  /** In seconds. 0 is the maximum, a day. */
  timeout: z.int().min(0).max(86_400).optional(),
  waitForCompletion: z.boolean().default(false),
  /** The response waits until all of them are listened to, for at most a minute. */
  waitForPorts: z.array(z.int().min(1).max(65_535)).max(16).default([]),
  keepAlive: z.boolean().default(false),
  restartOnFailure: z.boolean().default(false),
  /** -1 for no limit. */
  maxRestarts: z.int().min(-1).max(1_000).optional(),
  stdin: z.literal(false, "isn't supported: write the input to a file").optional(),
})
export type SandboxProcessInput = z.output<typeof SandboxProcessInput>

/** A running process has no exit code. Lists contain no outputs. */
export const SandboxProcess = z.object({
  pid: z.string(),
  name: z.string(),
  command: z.string(),
  status: z.enum(['running', 'completed', 'failed', 'killed', 'stopped']),
  workingDir: z.string(),
  exitCode: z.int().optional(),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime().optional(),
  keepAlive: z.boolean(),
  maxRestarts: z.int(),
  restartCount: z.int(),
  logs: z.string().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
})
export type SandboxProcess = z.infer<typeof SandboxProcess>

export const SandboxProcessLogs = z.object({ logs: z.string(), stdout: z.string(), stderr: z.string() })

export const SandboxDone = z.object({ message: z.string(), path: z.string().optional() })

export const SandboxFileContent = z.object({ path: z.string(), name: z.string(), size: z.int(), content: z.string() })
export type SandboxFileContent = z.infer<typeof SandboxFileContent>

/** `permissions` is accepted without effect. */
export const SandboxFileInput = z.object({
  content: z.string().default(''),
  isDirectory: z.boolean().default(false),
  permissions: z.string().optional(),
})

/** As multipart/form-data. */
export const SandboxFileForm = z.object({ file: z.string() })

/** A stream of lines. */
export const SandboxLines = z.string()

const maxTreeFiles = 1_000

/** Contents by path. */
export const SandboxTreeInput = z.object({
  files: z
    .record(z.string().min(1).max(4_096), z.string())
    .refine((files) => Object.keys(files).length <= maxTreeFiles, `must have at most ${maxTreeFiles} members`),
})

const Names = z
  .string()
  .max(4_096)
  .refine(isWithoutNul, noNul)
  .transform((text) => text.split(',').filter(Boolean))

const skippedFolders = 'node_modules,vendor,.git,dist,build,target,__pycache__,.venv,.next,coverage'
const SkippedFolders = Names.prefault(skippedFolders)

const maxResults = (usual: number) => z.coerce.number().int().min(0).max(10_000).default(usual)

export const SandboxGrepQuery = z.object({
  query: z.string().min(1).max(1_024).refine(isWithoutNul, noNul),
  caseSensitive: Flag,
  filePattern: z.string().min(1).max(256).refine(isWithoutNul, noNul).default('*'),
  excludeDirs: SkippedFolders,
  maxResults: maxResults(100),
})

export const SandboxGrep = z.object({
  matches: z.array(z.object({ path: z.string(), line: z.int(), column: z.int(), text: z.string() })),
  query: z.string(),
  total: z.int(),
})

export const SandboxFindQuery = z.object({
  type: z.enum(['file', 'directory']).optional(),
  patterns: Names.prefault(''),
  excludeDirs: SkippedFolders,
  excludeHidden: z.stringbool().default(true),
  maxResults: maxResults(20),
})

export const SandboxFind = z.object({
  matches: z.array(z.object({ path: z.string(), type: z.enum(['file', 'directory']) })),
  total: z.int(),
})

export const SandboxWatchQuery = z.object({ ignore: Names.prefault('') })

export const SandboxRemoveQuery = z.object({ recursive: Flag })

export const SandboxUpload = z.object({ path: z.string(), uploadId: z.string() })

export const SandboxPartQuery = z.object({ partNumber: z.coerce.number().int().min(1).max(10_000) })

export const SandboxUploadPart = z.object({ etag: z.string(), partNumber: z.int(), size: z.int() })

export const SandboxUploadInput = z.object({
  parts: z.array(z.object({ partNumber: z.int().min(1).max(10_000) })).max(1_000),
})
