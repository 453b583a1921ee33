// For the OpenAPI document.
import { z } from 'zod'
import {
  FolderListing,
  FolderTree,
  MountedDrive,
  MountedDrives,
  NamedDriveMount,
  SandboxDone,
  SandboxFileContent,
  SandboxFileForm,
  SandboxFileInput,
  SandboxFind,
  SandboxFindQuery,
  SandboxGrep,
  SandboxGrepQuery,
  SandboxLines,
  SandboxPartQuery,
  SandboxProcess,
  SandboxProcessInput,
  SandboxProcessLogs,
  SandboxRemoveQuery,
  SandboxTreeInput,
  SandboxUpload,
  SandboxUploadInput,
  SandboxUploadPart,
  SandboxWatchQuery,
  UnmountedDrive,
} from '../../../../contract/gateway/sandboxes.ts'
import type { GatewayAddress } from '../../../shared/http/openapi/rules.ts'

type Described = Pick<GatewayAddress, 'method' | 'path' | 'summary' | 'query' | 'body' | 'bodyOptional'> & {
  answer: z.ZodType
}

const base = '/{workspace}/sandboxes/{sandbox}'

const Anything = z.unknown().meta({ description: 'Of the server in the sandbox.' })

const described = ({ answer, path, ...address }: Described): GatewayAddress => ({
  ...address,
  path: `${base}${path}`,
  scope: address.method === 'get' ? 'sandboxes:get' : 'sandboxes:control',
  answers: { 200: answer },
})

export const sandboxFiles: readonly GatewayAddress[] = [
  ...(
    [
      { method: 'get', path: '/filesystem/tree/{path}', summary: 'List a folder of a sandbox', answer: FolderTree },
      {
        method: 'put',
        path: '/filesystem/tree/{path}',
        summary: 'Write files below a folder of a sandbox',
        body: SandboxTreeInput,
        answer: FolderTree,
      },
      {
        method: 'delete',
        path: '/filesystem/tree/{path}',
        summary: 'Delete a folder of a sandbox with its contents',
        answer: SandboxDone,
      },
      {
        method: 'get',
        path: '/filesystem/{path}',
        summary: 'List a folder of a sandbox, or read a file; with `Accept: application/octet-stream`, its bytes',
        answer: z.union([FolderListing, SandboxFileContent]),
      },
      {
        method: 'put',
        path: '/filesystem/{path}',
        summary: 'Write a file of a sandbox, or create a folder; up to 8 MB',
        body: z.union([SandboxFileInput, SandboxFileForm]),
        answer: SandboxDone,
      },
      {
        method: 'delete',
        path: '/filesystem/{path}',
        summary: 'Delete a file of a sandbox, or a folder',
        query: SandboxRemoveQuery,
        answer: SandboxDone,
      },
      {
        method: 'get',
        path: '/filesystem-content-search/{path}',
        summary: 'Search the contents of files below a folder of a sandbox',
        query: SandboxGrepQuery,
        answer: SandboxGrep,
      },
      {
        method: 'get',
        path: '/filesystem-find/{path}',
        summary: 'Find files and folders of a sandbox by name',
        query: SandboxFindQuery,
        answer: SandboxFind,
      },
      {
        method: 'get',
        path: '/watch/filesystem/{path}',
        summary: 'Watch a folder of a sandbox; a path that ends with /** includes all levels',
        query: SandboxWatchQuery,
        answer: SandboxLines,
      },
      {
        method: 'post',
        path: '/filesystem-multipart/initiate/{path}',
        summary: 'Begin to upload a file to a sandbox in parts',
        answer: SandboxUpload,
      },
      {
        method: 'put',
        path: '/filesystem-multipart/{upload}/part',
        summary: 'Upload a part of at most 8 MB',
        query: SandboxPartQuery,
        body: SandboxFileForm,
        answer: SandboxUploadPart,
      },
      {
        method: 'post',
        path: '/filesystem-multipart/{upload}/complete',
        summary: 'Write the file from its parts',
        body: SandboxUploadInput,
        answer: SandboxDone,
      },
      {
        method: 'delete',
        path: '/filesystem-multipart/{upload}/abort',
        summary: 'Abort an upload',
        answer: SandboxDone,
      },
    ] satisfies Described[]
  ).map(described),
]

export const sandboxDrives: readonly GatewayAddress[] = (
  [
    { method: 'get', path: '/drives/mount', summary: 'List the mounted drives of a sandbox', answer: MountedDrives },
    {
      method: 'post',
      path: '/drives/mount',
      summary: 'Mount a drive by its name; a sandbox in a container is started again',
      body: NamedDriveMount,
      answer: MountedDrive,
    },
    {
      method: 'delete',
      path: '/drives/mount/{path}',
      summary: 'Unmount a drive by its path',
      answer: UnmountedDrive,
    },
  ] satisfies Described[]
).map(described)

export const sandboxProcesses: readonly GatewayAddress[] = (
  [
    {
      method: 'get',
      path: '/process',
      summary: 'List the processes of a sandbox, without their outputs',
      answer: z.array(SandboxProcess),
    },
    {
      method: 'post',
      path: '/process',
      summary: 'Start a process in a sandbox',
      body: SandboxProcessInput,
      answer: SandboxProcess,
    },
    {
      method: 'get',
      path: '/process/{identifier}',
      summary: 'Read a process of a sandbox by its ID or name',
      answer: SandboxProcess,
    },
    { method: 'delete', path: '/process/{identifier}', summary: 'Stop a process of a sandbox', answer: SandboxDone },
    {
      method: 'delete',
      path: '/process/{identifier}/kill',
      summary: 'Kill a process of a sandbox',
      answer: SandboxDone,
    },
    {
      method: 'get',
      path: '/process/{identifier}/logs',
      summary: 'Read the outputs of a process of a sandbox, the last megabyte',
      answer: SandboxProcessLogs,
    },
    {
      method: 'get',
      path: '/process/{identifier}/logs/stream',
      summary: 'Follow the outputs of a process of a sandbox; each line begins with stdout: or stderr:',
      answer: SandboxLines,
    },
  ] satisfies Described[]
).map(described)

export const sandboxPorts: readonly GatewayAddress[] = (['get', 'post', 'put', 'patch', 'delete'] as const).map(
  (method) => ({
    method,
    path: `${base}/port/{port}/{path}`,
    scope: 'sandboxes:control',
    summary: `Send a ${method.toUpperCase()} request to a server in a sandbox${method === 'get' ? '; a WebSocket handshake opens a WebSocket' : ''}`,
    ...(method !== 'get' && { body: Anything, bodyOptional: true }),
    answers: { 200: Anything },
    responseHeaders: ['source'],
  }),
)
