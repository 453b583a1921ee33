/** Containers of agents, functions and models, of all processes of the platform. */
export type ContainerUses = {
  /** True if a use was noted in this process within the last seconds, so that it is not stopped. */
  isNoted(id: string): boolean
  /** The container could not be reached. */
  doubt(id: string): void
  /** Waits until a stop has ended. False if the container has to be started. */
  note(id: string, resource: string): Promise<boolean>
  started(id: string): Promise<void>
  known(): Promise<Array<{ id: string; isRunning: boolean; isIdle: boolean }>>
  /** Its idle time starts now. */
  adopt(id: string, resource: string): Promise<void>
  /** False if it is used, or another process stops it. Otherwise, uses wait for `endStop`. */
  claimStop(id: string): Promise<boolean>
  endStop(id: string): Promise<void>
  forget(id: string): Promise<void>
}
