C VT.inc in fixed form, plain and traced. expected.txt lists what the
C trace of two ranks contains.
      PROGRAM FIXED
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INCLUDE 'VT.inc'
      INTEGER IERR, RANK, STEP
      LOGICAL RUNNING
      CALL VTINITIALIZE(IERR)
      CALL MPI_INITIALIZED(RUNNING, IERR)
      IF (.NOT. RUNNING) CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL VTFUNCDEF('fixed', VT_NOCLASS, STEP, IERR)
      IF (IERR .NE. VT_OK) STOP 1
      CALL VTBEGIN(STEP, IERR)
      CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
      CALL VTEND(STEP, IERR)
      IF (IERR .NE. VT_OK) STOP 2
      CALL MPI_FINALIZE(IERR)
      IF (RANK .EQ. 0) PRINT '(A)', 'done'
      END
