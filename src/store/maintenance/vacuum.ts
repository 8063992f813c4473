/** `bytes`: the size of the database on disk. */
export type Vacuumed = { bytesBefore: number; bytesAfter: number };

/** The database was not vacuumed. The message is one line that says what to do. */
export class VacuumError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VacuumError';
  }
}
