#include "cli/launch/options.hpp"

#include <array>
#include <span>

namespace tactus {

namespace {

// `names` has a single blank before and after each name, so that a table reads like the help text that it follows.
struct Row {
    Takes takes;
    std::string_view names;
};

constexpr std::array openmpi_options{
    Row{Takes::two, " mca gmca omca gomca prtemca gprtemca pmixmca gpmixmca "},
    Row{Takes::one,
        " add-host add-hostfile am amca app append-envar app-pmix-prefix arch bind-to bindto c cartofile cf "
        "cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile file forward-signals "
        "gpu-support H h help hnp host hostfile initial-errhandler keepalive launch-agent machinefile mapby "
        "memory-alloc-kinds output-directory prepend-envar pset rankby rtos runtime-options set-envar "
        "singleton spawn-timeout tmpdir unset-env unset-envar map-by max-restarts max-vm-size N n np npernode "
        "npersocket ompi-server "
        "output output-filename path personality ppr prefix preload-files rank-by rankfile report-events "
        "report-pid report-uri rf soft stdin stream-buffering timeout tune wd wdir "
        "with-ft x xml-file xterm display "},
    Row{Takes::optional, " fwd-environment output-proctable stop-in-app "},
    Row{Takes::nothing,
        " hetero-nodes no-aggregate-help no-app-prefix no-ready-msg p parsable parseable set-sid stop-in-init "
        "stop-on-exec uniform-nodes allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous d "
        "debug debug-daemons "
        "debug-daemons-file debug-devel disable-recovery display-allocation display-comm display-comm-finalize "
        "display-devel-allocation display-devel-map display-diffable-map display-map display-topo do-not-launch "
        "do-not-resolve dvm enable-instant-on-support enable-recovery fwd-mpirun-port "
        "get-stack-traces index-argv-by-rank leave-session-attached merge-stderr-to-stdout nolocal nooversubscribe "
        "noprefix novm oversubscribe pernode preload-binary q quiet report-bindings "
        "report-child-jobs-separately report-state-on-timeout s set-cwd-to-session-dir show-progress tag-output "
        "terminate timestamp-output tv use-hwthread-cpus use-regexp V v verbose version xml "},
};

constexpr std::array hydra_options{
    Row{Takes::name_value, " genv env "},
    Row{Takes::one, " arch bind-to binding bindlib bootstrap bootstrap-exec bootstrap-exec-args branch-count "
                    "ckpoint-interval ckpoint-num ckpoint-prefix ckpointlib "
                    "configfile demux envlist errfile errfile-pattern f file g genvlist gpus-per-proc "
                    "gpu-subdevs-per-proc gtool gtoolfile host "
                    "hostfile hostlist hosts hosts-group iface launcher launcher-exec localhost machine machinefile "
                    "machinelist machines "
                    "map-by membind memory-alloc-kinds n nameserver np order-nodes outfile outfile-pattern output-from "
                    "path perhost pmi-args ppn "
                    "prepend-pattern rankmap ranks-per-proc rmk s soft topolib usize wdir "},
    Row{Takes::nothing,
        " check_mpi dac debug disable-auto-cleanup disable-hostname-propagation disable-x enable-auto-cleanup "
        "enable-hostname-propagation enable-x envall envnone gdb genvall genvnone grr h help hybrid-hosts ilp64 info l "
        "nolocal ordered-output pmi-port prepend-rank "
        "print-all-exitcodes print-rank-map profile report-bindings rr silent-abort skip-launch-node t trace tv v "
        "verbose "
        "version "},
};

constexpr std::array srun_options{
    Row{Takes::one,
        " A b B c C d D e F G i J L m M N n o p q r S t T W w x accel-bind account acctg-freq autocomplete bb bbf "
        "bcast-exclude "
        "begin "
        "chdir cluster-constraint clusters comment constraint container container-id core-spec cores-per-socket "
        "cpu-bind cpu_bind cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution epilog "
        "error "
        "exclude export export-file extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket "
        "gpus-per-task gres gres-flags het-group hint input jobid job-name licenses mail-type mail-user mcs-label mem "
        "mem-bind mem-per-cpu mem-per-gpu mem-update mincpus mpi msg-timeout network nodefile nodelist nodes ntasks "
        "ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket ntasks-per-tres open-mode output "
        "pack-group partition power prefer priority profile prolog qos relative reservation resources "
        "segment signal slurmd-debug sockets-per-node switches task-epilog task-prolog tasks-per-node thread-spec "
        "threads "
        "threads-per-core time time-min tmp treewidth tres-bind tres-per-job tres-per-task uid wait wckey "},
    Row{Takes::optional, " I k K bcast compress exclusive external-launcher immediate kill-on-bad-exit nice no-kill "
                         "oom-kill-step overlap propagate resv-ports "
                         "pty send-libs x11 "},
    Row{Takes::nothing,
        " E h H l O Q s u v V X Z async consolidate-segments contiguous disable-status exact external help "
        "hold interactive label multi-prog no-allocate oversubscribe overcommit preserve-env quiet quit-on-interrupt "
        "reboot share spread-job spread-segments stepmgr test-only unbuffered usage use-min-nodes verbose version "
        "wait-for-children "
        "whole "},
};

// What HPE's and Cray's guides show; nothing of it was tried on their machines.
constexpr Row pals_values{
    Takes::one, " n np N ppn d depth c cpu-bind mem-bind gpu-bind e env genv hostfile hosts hostlist wdir pmi "
                "umask rlimits configfile envlist genvlist exclude-hosts "};
constexpr Row pals_switches{Takes::nothing,
                            " l label line-buffer q quiet v b no-transfer genvall envall genvnone envnone "
                            "abort-on-failure no-abort-on-failure h help version "};

constexpr std::array pals_options{pals_values, pals_switches};

constexpr std::array aprun_options{Row{Takes::one, " a cc cp D F L m j p r R S sl sn t "},
                                   Row{Takes::nothing, " B C T ss "}, pals_values, pals_switches};

constexpr std::array flux_options{
    Row{Takes::one, " B bank q queue t time-limit urgency job-name o setopt S setattr add-file dependency requires "
                    "begin-time env env-remove env-file rlimit input output error cwd flags signal taskmap N nodes n "
                    "ntasks c cores-per-task g gpus-per-task cores tasks-per-node tasks-per-core gpus-per-node "
                    "wait-event log log-stderr cc bcc "},
    Row{Takes::optional, " help "},
    Row{Takes::nothing, " u unbuffered l label-io dry-run quiet list-plugins x exclusive v verbose wait watch progress "
                        "jps h "},
};

constexpr Row jsrun_values{
    Takes::one,
    " n nrs np p a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host m memory_per_rs l latency_priority d "
    "launch_distribution b bind E env D env_eval h chdir o stdio_stdout k stdio_stderr e stdio_mode U "
    "erf_input f appfile M smpiargs X exit_on_error "};
constexpr Row jsrun_switches{Takes::nothing, " i immediate v V "};

constexpr std::array jsrun_options{jsrun_values, jsrun_switches};

// It takes jsrun's, too, all of them in one word each.
constexpr std::array lrun_options{
    Row{Takes::one, " N T W "}, Row{Takes::optional, " core core_cpu core_delay core_gpu gpubind mpibind smt threads "},
    Row{Takes::nothing, " 1 2 h adv_map nolbind pack relax "}, jsrun_values, jsrun_switches};

constexpr std::array mpirun_rsh_options{
    Row{Takes::one,
        " np n ppn hostfile f machinefile paramfile launcher xlauncher_width spawnfile config dpmspawn sg env "
        "sparehosts "},
    Row{Takes::nothing, " debug gdb xterm show rsh ssh help v tv legacy startedByTv dpm fastssh export export-all "
                        "use_xlauncher "},
};

std::span<const Row> table_of(LauncherKind kind) {
    switch (kind) {
    case LauncherKind::openmpi:
        return openmpi_options;
    case LauncherKind::hydra:
        return hydra_options;
    case LauncherKind::srun:
        return srun_options;
    case LauncherKind::pals:
        return pals_options;
    case LauncherKind::aprun:
        return aprun_options;
    case LauncherKind::flux:
        return flux_options;
    case LauncherKind::jsrun:
        return jsrun_options;
    case LauncherKind::lrun:
        return lrun_options;
    case LauncherKind::mpirun_rsh:
        return mpirun_rsh_options;
    case LauncherKind::none:
        break;
    }
    return {};
}

std::string_view name_at(std::string_view names, std::size_t begin) {
    return names.substr(begin, names.find(' ', begin) - begin);
}

LauncherOption exact(std::span<const Row> table, std::string_view option) {
    for (const Row& row : table) {
        for (auto at = row.names.find(option); at != std::string_view::npos; at = row.names.find(option, at + 1)) {
            if (row.names[at - 1] == ' ' && name_at(row.names, at) == option) return {option, row.takes};
        }
    }
    return {option};
}

// getopt_long accepts the beginning of a name if only one option begins with it. Where several begin with it, and take
// the same, it is one that this table has and that launcher has not.
LauncherOption beginning(std::span<const Row> table, std::string_view option) {
    LauncherOption found{option};
    for (const Row& row : table) {
        for (std::size_t at = 1; at < row.names.size(); at = row.names.find(' ', at) + 1) {
            const std::string_view name = name_at(row.names, at);
            if (name.size() < 2 || !name.starts_with(option)) continue;
            const bool first = found.takes == Takes::unknown;
            if (!first && found.takes != row.takes) return {option};
            found = {first ? name : option, row.takes};
        }
    }
    return found;
}

} // namespace

bool clusters_letters(LauncherKind kind) {
    return kind == LauncherKind::srun || kind == LauncherKind::flux || kind == LauncherKind::jsrun;
}

LauncherOption launcher_option(LauncherKind kind, std::string_view option) {
    if (option.empty()) return {option};
    const std::span<const Row> table = table_of(kind);
    const LauncherOption found = exact(table, option);
    const bool abbreviates = clusters_letters(kind) && option.size() > 1;
    return found.takes == Takes::unknown && abbreviates ? beginning(table, option) : found;
}

} // namespace tactus
