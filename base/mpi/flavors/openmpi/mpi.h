/* The facts of Open MPI's mpi.h, versions 4 to 6, that tactus needs: types and numbers, which programs are compiled
 * with, so that no version may change them. tests/rules/flavor.py compares them with the mpi.h of the MPI that is
 * there.
 * A handle is the address of an object of the library; OBJECT names it, and OBJECT_SINCE one that the first of these
 * versions do not have. */
#ifndef TACTUS_OPENMPI_MPI_H
#define TACTUS_OPENMPI_MPI_H

#include <stddef.h>

typedef struct openmpi_comm* MPI_Comm;
typedef struct openmpi_datatype* MPI_Datatype;
typedef struct openmpi_errhandler* MPI_Errhandler;
typedef struct openmpi_file* MPI_File;
typedef struct openmpi_group* MPI_Group;
typedef struct openmpi_info* MPI_Info;
typedef struct openmpi_message* MPI_Message;
typedef struct openmpi_op* MPI_Op;
typedef struct openmpi_request* MPI_Request;
typedef struct openmpi_session* MPI_Session;
typedef struct openmpi_win* MPI_Win;

typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int _cancelled;
    size_t _ucount;
} MPI_Status;

#define MPI_COMM_NULL OBJECT(MPI_Comm, ompi_mpi_comm_null)
#define MPI_COMM_SELF OBJECT(MPI_Comm, ompi_mpi_comm_self)
#define MPI_COMM_WORLD OBJECT(MPI_Comm, ompi_mpi_comm_world)

#define MPI_DATATYPE_NULL OBJECT(MPI_Datatype, ompi_mpi_datatype_null)
#define MPI_2COMPLEX OBJECT(MPI_Datatype, ompi_mpi_2cplex)
#define MPI_2DOUBLE_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_2dblcplex)
#define MPI_2DOUBLE_PRECISION OBJECT(MPI_Datatype, ompi_mpi_2dblprec)
#define MPI_2INT OBJECT(MPI_Datatype, ompi_mpi_2int)
#define MPI_2INTEGER OBJECT(MPI_Datatype, ompi_mpi_2integer)
#define MPI_2REAL OBJECT(MPI_Datatype, ompi_mpi_2real)
#define MPI_AINT OBJECT(MPI_Datatype, ompi_mpi_aint)
#define MPI_BYTE OBJECT(MPI_Datatype, ompi_mpi_byte)
#define MPI_CHAR OBJECT(MPI_Datatype, ompi_mpi_char)
#define MPI_CHARACTER OBJECT(MPI_Datatype, ompi_mpi_character)
#define MPI_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_cplex)
#define MPI_COMPLEX16 OBJECT(MPI_Datatype, ompi_mpi_complex16)
#define MPI_COMPLEX32 OBJECT(MPI_Datatype, ompi_mpi_complex32)
#define MPI_COMPLEX4 OBJECT_SINCE(MPI_Datatype, ompi_mpi_complex4)
#define MPI_COMPLEX8 OBJECT(MPI_Datatype, ompi_mpi_complex8)
#define MPI_COUNT OBJECT(MPI_Datatype, ompi_mpi_count)
#define MPI_CXX_BOOL OBJECT(MPI_Datatype, ompi_mpi_cxx_bool)
#define MPI_CXX_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_cxx_cplex)
#define MPI_CXX_DOUBLE_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_cxx_dblcplex)
#define MPI_CXX_FLOAT_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_cxx_cplex)
#define MPI_CXX_LONG_DOUBLE_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_cxx_ldblcplex)
#define MPI_C_BOOL OBJECT(MPI_Datatype, ompi_mpi_c_bool)
#define MPI_C_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_c_float_complex)
#define MPI_C_DOUBLE_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_c_double_complex)
#define MPI_C_FLOAT_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_c_float_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_c_long_double_complex)
#define MPI_DOUBLE OBJECT(MPI_Datatype, ompi_mpi_double)
#define MPI_DOUBLE_COMPLEX OBJECT(MPI_Datatype, ompi_mpi_dblcplex)
#define MPI_DOUBLE_INT OBJECT(MPI_Datatype, ompi_mpi_double_int)
#define MPI_DOUBLE_PRECISION OBJECT(MPI_Datatype, ompi_mpi_dblprec)
#define MPI_FLOAT OBJECT(MPI_Datatype, ompi_mpi_float)
#define MPI_FLOAT_INT OBJECT(MPI_Datatype, ompi_mpi_float_int)
#define MPI_INT OBJECT(MPI_Datatype, ompi_mpi_int)
#define MPI_INT16_T OBJECT(MPI_Datatype, ompi_mpi_int16_t)
#define MPI_INT32_T OBJECT(MPI_Datatype, ompi_mpi_int32_t)
#define MPI_INT64_T OBJECT(MPI_Datatype, ompi_mpi_int64_t)
#define MPI_INT8_T OBJECT(MPI_Datatype, ompi_mpi_int8_t)
#define MPI_INTEGER OBJECT(MPI_Datatype, ompi_mpi_integer)
#define MPI_INTEGER1 OBJECT(MPI_Datatype, ompi_mpi_integer1)
#define MPI_INTEGER16 OBJECT_SINCE(MPI_Datatype, ompi_mpi_integer16)
#define MPI_INTEGER2 OBJECT(MPI_Datatype, ompi_mpi_integer2)
#define MPI_INTEGER4 OBJECT(MPI_Datatype, ompi_mpi_integer4)
#define MPI_INTEGER8 OBJECT(MPI_Datatype, ompi_mpi_integer8)
#define MPI_LOGICAL OBJECT(MPI_Datatype, ompi_mpi_logical)
#define MPI_LOGICAL1 OBJECT(MPI_Datatype, ompi_mpi_logical1)
#define MPI_LOGICAL16 OBJECT_SINCE(MPI_Datatype, ompi_mpi_logical16)
#define MPI_LOGICAL2 OBJECT(MPI_Datatype, ompi_mpi_logical2)
#define MPI_LOGICAL4 OBJECT(MPI_Datatype, ompi_mpi_logical4)
#define MPI_LOGICAL8 OBJECT(MPI_Datatype, ompi_mpi_logical8)
#define MPI_LONG OBJECT(MPI_Datatype, ompi_mpi_long)
#define MPI_LONG_DOUBLE OBJECT(MPI_Datatype, ompi_mpi_long_double)
#define MPI_LONG_DOUBLE_INT OBJECT(MPI_Datatype, ompi_mpi_longdbl_int)
#define MPI_LONG_INT OBJECT(MPI_Datatype, ompi_mpi_long_int)
#define MPI_LONG_LONG OBJECT(MPI_Datatype, ompi_mpi_long_long_int)
#define MPI_LONG_LONG_INT OBJECT(MPI_Datatype, ompi_mpi_long_long_int)
#define MPI_OFFSET OBJECT(MPI_Datatype, ompi_mpi_offset)
#define MPI_PACKED OBJECT(MPI_Datatype, ompi_mpi_packed)
#define MPI_REAL OBJECT(MPI_Datatype, ompi_mpi_real)
#define MPI_REAL16 OBJECT(MPI_Datatype, ompi_mpi_real16)
#define MPI_REAL2 OBJECT_SINCE(MPI_Datatype, ompi_mpi_real2)
#define MPI_REAL4 OBJECT(MPI_Datatype, ompi_mpi_real4)
#define MPI_REAL8 OBJECT(MPI_Datatype, ompi_mpi_real8)
#define MPI_SHORT OBJECT(MPI_Datatype, ompi_mpi_short)
#define MPI_SHORT_INT OBJECT(MPI_Datatype, ompi_mpi_short_int)
#define MPI_SIGNED_CHAR OBJECT(MPI_Datatype, ompi_mpi_signed_char)
#define MPI_UINT16_T OBJECT(MPI_Datatype, ompi_mpi_uint16_t)
#define MPI_UINT32_T OBJECT(MPI_Datatype, ompi_mpi_uint32_t)
#define MPI_UINT64_T OBJECT(MPI_Datatype, ompi_mpi_uint64_t)
#define MPI_UINT8_T OBJECT(MPI_Datatype, ompi_mpi_uint8_t)
#define MPI_UNSIGNED OBJECT(MPI_Datatype, ompi_mpi_unsigned)
#define MPI_UNSIGNED_CHAR OBJECT(MPI_Datatype, ompi_mpi_unsigned_char)
#define MPI_UNSIGNED_LONG OBJECT(MPI_Datatype, ompi_mpi_unsigned_long)
#define MPI_UNSIGNED_LONG_LONG OBJECT(MPI_Datatype, ompi_mpi_unsigned_long_long)
#define MPI_UNSIGNED_SHORT OBJECT(MPI_Datatype, ompi_mpi_unsigned_short)
#define MPI_WCHAR OBJECT(MPI_Datatype, ompi_mpi_wchar)

#define MPI_ERRHANDLER_NULL OBJECT(MPI_Errhandler, ompi_mpi_errhandler_null)
#define MPI_ERRORS_ABORT OBJECT_SINCE(MPI_Errhandler, ompi_mpi_errors_abort)
#define MPI_ERRORS_ARE_FATAL OBJECT(MPI_Errhandler, ompi_mpi_errors_are_fatal)
#define MPI_ERRORS_RETURN OBJECT(MPI_Errhandler, ompi_mpi_errors_return)

#define MPI_FILE_NULL OBJECT(MPI_File, ompi_mpi_file_null)

#define MPI_GROUP_NULL OBJECT(MPI_Group, ompi_mpi_group_null)
#define MPI_GROUP_EMPTY OBJECT(MPI_Group, ompi_mpi_group_empty)

#define MPI_INFO_NULL OBJECT(MPI_Info, ompi_mpi_info_null)
#define MPI_INFO_ENV OBJECT(MPI_Info, ompi_mpi_info_env)

#define MPI_MESSAGE_NULL OBJECT(MPI_Message, ompi_message_null)
#define MPI_MESSAGE_NO_PROC OBJECT(MPI_Message, ompi_message_no_proc)

#define MPI_OP_NULL OBJECT(MPI_Op, ompi_mpi_op_null)
#define MPI_BAND OBJECT(MPI_Op, ompi_mpi_op_band)
#define MPI_BOR OBJECT(MPI_Op, ompi_mpi_op_bor)
#define MPI_BXOR OBJECT(MPI_Op, ompi_mpi_op_bxor)
#define MPI_LAND OBJECT(MPI_Op, ompi_mpi_op_land)
#define MPI_LOR OBJECT(MPI_Op, ompi_mpi_op_lor)
#define MPI_LXOR OBJECT(MPI_Op, ompi_mpi_op_lxor)
#define MPI_MAX OBJECT(MPI_Op, ompi_mpi_op_max)
#define MPI_MAXLOC OBJECT(MPI_Op, ompi_mpi_op_maxloc)
#define MPI_MIN OBJECT(MPI_Op, ompi_mpi_op_min)
#define MPI_MINLOC OBJECT(MPI_Op, ompi_mpi_op_minloc)
#define MPI_NO_OP OBJECT(MPI_Op, ompi_mpi_op_no_op)
#define MPI_PROD OBJECT(MPI_Op, ompi_mpi_op_prod)
#define MPI_REPLACE OBJECT(MPI_Op, ompi_mpi_op_replace)
#define MPI_SUM OBJECT(MPI_Op, ompi_mpi_op_sum)

#define MPI_REQUEST_NULL OBJECT(MPI_Request, ompi_request_null)

#define MPI_SESSION_NULL OBJECT_SINCE(MPI_Session, ompi_mpi_instance_null)

#define MPI_WIN_NULL OBJECT(MPI_Win, ompi_mpi_win_null)

#define MPI_SUCCESS 0
#define MPI_ERR_TRUNCATE 15
#define MPI_ERR_IN_STATUS 18
#define MPI_ERR_PENDING 19
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-4)
#define MPI_UNDEFINED (-32766)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_BOTTOM ((void*)0)
#define MPI_BUFFER_AUTOMATIC ((void*)4)
#define MPI_KEYVAL_INVALID (-1)
#define MPI_TAG_UB 0
#define MPI_BSEND_OVERHEAD 128
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_MULTIPLE 3
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_OBJECT_NAME 64
#define MPI_CART 1
#define MPI_GRAPH 2
#define MPI_DIST_GRAPH 3
#define MPI_ORDER_C 0
#define MPI_MODE_NOPRECEDE 2
#define MPI_MODE_NOPUT 4
#define MPI_MODE_NOSTORE 8
#define MPI_MODE_NOSUCCEED 16
#define MPI_COMBINER_NAMED 0
#define MPI_COMBINER_DUP 1
#define MPI_COMBINER_CONTIGUOUS 2
#define MPI_COMBINER_VECTOR 3
#define MPI_COMBINER_HVECTOR 5
#define MPI_COMBINER_INDEXED 6
#define MPI_COMBINER_HINDEXED 8
#define MPI_COMBINER_INDEXED_BLOCK 9
#define MPI_COMBINER_HINDEXED_BLOCK 18
#define MPI_COMBINER_STRUCT 11
#define MPI_COMBINER_SUBARRAY 12
#define MPI_COMBINER_RESIZED 17

#include "base/mpi/fortran_handles.h"

#endif
