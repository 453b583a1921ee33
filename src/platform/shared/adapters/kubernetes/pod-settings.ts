// Pods of workloads. They satisfy the profile `restricted` (https://kubernetes.io/docs/concepts/security/pod-security-standards/).
import type {
  V1Container,
  V1NetworkPolicy,
  V1PersistentVolumeClaimSpec,
  V1PodSpec,
  V1Volume,
} from '@kubernetes/client-node'
import type { EngineRun, KeptContainer, TemporaryFolder, VolumeMount } from '../../domain/engine.ts'
import { accountId, homeFolder } from '../confinement/bubblewrap.ts'
import { coresFor } from '../confinement/confinement.ts'
import { labels, serverEnv, waiting } from '../engines/own-containers.ts'

export const containerName = 'workload'

/** Without `mayPull`, the node must have the image. */
type Limited = { image: string; mayPull: boolean; memoryMb: number; diskMb: number }

type PodFolder = { at: string; readOnly?: boolean; source: Omit<V1Volume, 'name'> }

/** The scheduler counts on less CPU than the limit: most workloads wait most of the time. */
const requestedCores = 0.05

const logsMb = 32

function pod(
  { image, mayPull, memoryMb, diskMb }: Limited,
  folders: readonly PodFolder[],
  more: Partial<V1Container>,
): V1PodSpec {
  const own: PodFolder = { at: '/tmp', source: { emptyDir: { sizeLimit: `${diskMb}Mi` } } }
  // Each path once: the last folder counts.
  const mounted = [...new Map([own, ...folders].map((folder) => [folder.at, folder])).values()]
  const memory = `${memoryMb}Mi`
  const cpu = Math.min(requestedCores, coresFor(memoryMb)).toString()
  return {
    containers: [
      {
        name: containerName,
        image,
        imagePullPolicy: mayPull ? 'IfNotPresent' : 'Never',
        ...more,
        env: [...(more.env ?? []), { name: 'HOME', value: homeFolder }],
        resources: {
          limits: { memory, cpu: coresFor(memoryMb).toString(), 'ephemeral-storage': `${diskMb + logsMb}Mi` },
          requests: { memory, cpu, 'ephemeral-storage': `${logsMb}Mi` },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          privileged: false,
          readOnlyRootFilesystem: true,
        },
        volumeMounts: mounted.map(({ at, readOnly = false }, index) => ({
          ...{ name: `folder-${index}`, mountPath: at, readOnly },
        })),
      },
    ],
    volumes: mounted.map(({ source }, index) => ({ name: `folder-${index}`, ...source })),
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: accountId, runAsGroup: accountId },
      ...{ fsGroup: accountId, fsGroupChangePolicy: 'OnRootMismatch' },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostname: 'workload',
    // The network policy denies DNS as well.
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['127.0.0.1'] },
  }
}

type NewRun = Limited &
  Pick<EngineRun, 'command' | 'env' | 'workingFolder' | 'temporary'> & { hasInput: boolean; maxSeconds: number }

/** Without a command, the image's own runs, in the folder of the image. */
export function runPod(run: NewRun): V1PodSpec {
  const { command, env, workingFolder, temporary = [], hasInput, maxSeconds, ...limited } = run
  const inPod = ({ at, maxMb, readOnly }: TemporaryFolder) => ({
    ...{ at, readOnly, source: { emptyDir: { sizeLimit: `${maxMb}Mi` } } },
  })
  return {
    ...pod(
      limited,
      [{ at: homeFolder, source: { emptyDir: { sizeLimit: `${limited.diskMb}Mi` } } }, ...temporary.map(inPod)],
      {
        ...(command.length > 0 && { command: command.map(literal), workingDir: homeFolder }),
        ...(workingFolder !== undefined && { workingDir: workingFolder }),
        env: variables(env),
        ...(hasInput && { stdin: true, stdinOnce: true }),
      },
    ),
    terminationGracePeriodSeconds: 1,
    activeDeadlineSeconds: maxSeconds,
  }
}

const variables = (env: Readonly<Record<string, string>>) =>
  Object.entries(env)
    .filter(([name]) => name !== 'HOME')
    .map(([name, value]) => ({ name, value: literal(value) }))

/** Kubernetes replaces $(NAME) and $$ in commands and values. */
const literal = (text: string) => text.replaceAll('$', '$$$$')

const keptTemporaryMb = 1_024

type NewKept = Omit<Limited, 'diskMb'> & Pick<KeptContainer, 'mounts' | 'serves'>

/** Waits for commands, with a home folder in a volume, which survives the pod. Or its image serves. */
export function keptPod(kept: NewKept, claims: { home: string; of(mount: VolumeMount): string }): V1PodSpec {
  const { image, mayPull, memoryMb, mounts = [], serves } = kept
  const claimed = (claimName: string) => ({ persistentVolumeClaim: { claimName } })
  return {
    ...pod(
      { image, mayPull, memoryMb, diskMb: keptTemporaryMb },
      [
        { at: homeFolder, source: serves ? { emptyDir: { sizeLimit: homeSize } } : claimed(claims.home) },
        ...mounts.map((mount) => ({ ...mount, source: claimed(claims.of(mount)) })),
      ],
      serves ? { env: variables(serverEnv(serves)) } : { command: waiting, workingDir: homeFolder },
    ),
    // The first process of the pod then reaps the processes that commands leave behind.
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: 5,
  }
}

const homeSize = '2Gi'

export const homeClaim: V1PersistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: homeSize } },
}

const volumeMb = 1_024

/** Volumes and drives are in a class of storage that several nodes can write, or in the default one. */
export const volumeClaim = (
  { sizeMb = volumeMb }: VolumeMount,
  sharedStorage: string | undefined,
): V1PersistentVolumeClaimSpec => ({
  ...(sharedStorage && { storageClassName: sharedStorage }),
  accessModes: [sharedStorage ? 'ReadWriteMany' : 'ReadWriteOnce'],
  resources: { requests: { storage: `${sizeMb}Mi` } },
})

export const policyName = 'causeway-workloads'

/** No connections in either direction. The network of the cluster has to enforce it. */
export const denyAll: V1NetworkPolicy = {
  metadata: { name: policyName },
  spec: {
    podSelector: { matchExpressions: [{ key: labels.owner, operator: 'Exists' }] },
    policyTypes: ['Ingress', 'Egress'],
  },
}
