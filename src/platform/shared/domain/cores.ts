/** With the default memory a workload has one core, as it is billed by its memory alone. */
const memoryMbPerCore = 2_048
/** Less than half a core, and a runtime takes seconds to start. */
const fewestCores = 0.5

/** Processor time that a command may use: a workload declares its memory, and gets processors with it. */
export const coresFor = (memoryMb: number): number => Math.max(fewestCores, memoryMb / memoryMbPerCore)
