// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * The parts of a unit for a kernel that has none: a display (HT16K33 at 0x70 of i2c-1), a chain of LEDs on SPI
 * (spidev0.0) and a buzzer's PWM (…20c000.pwm). What a program sends to them stands on a tape:
 *
 *	/sys/kernel/debug/unit/tape	"TIME_US i2c HEX", "TIME_US spi HEX", "TIME_US pwm CHANNEL PERIOD_NS DUTY_NS ON"
 *	/sys/kernel/debug/unit/display	the display's 16 bytes of memory, then oscillator, on and blink, dimming
 *	/sys/kernel/debug/unit/strip	the last SPI transfer
 *	/sys/kernel/debug/unit/plugged	N: the display does not answer, as with a loose plug
 *
 * It also says in /proc/device-tree that this is a Raspberry Pi Zero 2 W, where gpiozero, Blinka and we look it up.
 * Times are those of CLOCK_MONOTONIC. Writing to the tape erases it; a full tape ends with "full". Built for Debian's
 * kernel 6.1, whose interfaces are older than those of today.
 */
#include <linux/debugfs.h>
#include <linux/i2c.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/proc_fs.h>
#include <linux/pwm.h>
#include <linux/spi/spi.h>
#include <linux/vmalloc.h>

#define TAPE_BYTES (16 << 20)
#define DISPLAY_ADDRESS 0x70
#define DISPLAY_RAM 16
#define STRIP_BYTES 4096

static DEFINE_MUTEX(parts_lock);
static char *tape;
static size_t tape_used;
static bool plugged = true;
static u8 display[DISPLAY_RAM + 3];
static u8 strip_frame[STRIP_BYTES];
static struct debugfs_blob_wrapper display_blob = { display, sizeof(display) };
static struct debugfs_blob_wrapper strip_blob = { strip_frame, 0 };
static struct dentry *folder;
static struct platform_device *parent;
static struct spi_master *master;

__printf(1, 2) static void write_tape(const char *format, ...)
{
	va_list args;

	if (tape_used + STRIP_BYTES * 2 + 128 > TAPE_BYTES) {
		if (tape[tape_used - 2] != 'l')
			tape_used += sprintf(tape + tape_used, "full\n");
		return;
	}
	va_start(args, format);
	tape_used += vsprintf(tape + tape_used, format, args);
	va_end(args);
}

static void write_bytes(const char *bus, const u8 *bytes, size_t count)
{
	write_tape("%lld %s ", ktime_get_ns() / 1000, bus);
	if (tape_used + 2 * count + 8 < TAPE_BYTES) {
		bin2hex(tape + tape_used, bytes, count);
		tape_used += 2 * count;
	}
	write_tape("\n");
}

static ssize_t tape_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	ssize_t done;

	mutex_lock(&parts_lock);
	done = simple_read_from_buffer(to, count, at, tape, tape_used);
	mutex_unlock(&parts_lock);
	return done;
}

static ssize_t tape_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	mutex_lock(&parts_lock);
	tape_used = 0;
	mutex_unlock(&parts_lock);
	return count;
}

static const struct file_operations tape_file = {
	.owner = THIS_MODULE, .read = tape_read, .write = tape_write, .llseek = default_llseek,
};

/* The display: a first byte below 0x10 is an address in its memory, any other one a command (HT16K33 data sheet). */

static void display_takes(const u8 *bytes, int count)
{
	int i;

	if (!count)
		return;
	switch (bytes[0] >> 4) {
	case 0x0:
		for (i = 1; i < count; i++)
			display[(bytes[0] + i - 1) % DISPLAY_RAM] = bytes[i];
		break;
	case 0x2:
		display[DISPLAY_RAM] = bytes[0] & 1;
		break;
	case 0x8:
		display[DISPLAY_RAM + 1] = bytes[0] & 7;
		break;
	case 0xe:
		display[DISPLAY_RAM + 2] = bytes[0] & 15;
		break;
	}
}

static int i2c_transfer_all(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	int i;

	mutex_lock(&parts_lock);
	for (i = 0; i < count; i++) {
		struct i2c_msg *message = &messages[i];

		if (message->addr != DISPLAY_ADDRESS || !plugged) {
			mutex_unlock(&parts_lock);
			return -EREMOTEIO; /* what a Pi's controller says */
		}
		if (message->flags & I2C_M_RD) {
			memset(message->buf, 0, message->len);
		} else if (message->len) {
			display_takes(message->buf, message->len);
			write_bytes("i2c", message->buf, message->len);
		}
	}
	mutex_unlock(&parts_lock);
	return count;
}

static u32 i2c_can(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C;
}

static const struct i2c_algorithm i2c_algorithm = { .master_xfer = i2c_transfer_all, .functionality = i2c_can };
static struct i2c_adapter adapter = { .owner = THIS_MODULE, .name = "unit", .algo = &i2c_algorithm, .nr = 1 };

/* The strip. */

static int spi_send(struct spi_controller *controller, struct spi_message *message)
{
	struct spi_transfer *transfer;

	mutex_lock(&parts_lock);
	list_for_each_entry(transfer, &message->transfers, transfer_list) {
		size_t count = min_t(size_t, transfer->len, STRIP_BYTES);

		if (transfer->tx_buf) {
			memcpy(strip_frame, transfer->tx_buf, count);
			strip_blob.size = count;
			write_bytes("spi", strip_frame, count);
		}
		if (transfer->rx_buf)
			memset(transfer->rx_buf, 0, transfer->len);
		message->actual_length += transfer->len;
	}
	mutex_unlock(&parts_lock);
	message->status = 0;
	spi_finalize_current_message(controller);
	return 0;
}

/* The buzzer. */

static int pwm_take(struct pwm_chip *chip, struct pwm_device *pwm, const struct pwm_state *state)
{
	mutex_lock(&parts_lock);
	write_tape("%lld pwm %u %llu %llu %d\n", ktime_get_ns() / 1000, pwm->hwpwm, state->period, state->duty_cycle,
		   state->enabled);
	mutex_unlock(&parts_lock);
	return 0;
}

static const struct pwm_ops pwm_ops = { .apply = pwm_take, .owner = THIS_MODULE };
static struct pwm_chip pwm_chip = { .ops = &pwm_ops, .npwm = 2 };

/* Which board this is. */

static const char model[] = "Raspberry Pi Zero 2 W Rev 1.0";
static const char compatible[] = "raspberrypi,model-zero-2-w\0brcm,bcm2837";
static const u8 revision[] = { 0x00, 0x90, 0x21, 0x20 };
static struct proc_dir_entry *device_tree;

struct fact {
	const void *content;
	size_t size;
};

static ssize_t fact_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	const struct fact *fact = pde_data(file_inode(file));

	return simple_read_from_buffer(to, count, at, fact->content, fact->size);
}

static const struct proc_ops fact_file = { .proc_read = fact_read, .proc_lseek = default_llseek };
static struct fact facts[] = {
	{ model, sizeof(model) }, { compatible, sizeof(compatible) }, { revision, sizeof(revision) },
};

static int add_device_tree(void)
{
	struct proc_dir_entry *system;

	device_tree = proc_mkdir("device-tree", NULL);
	if (!device_tree)
		return -ENOMEM;
	proc_create_data("model", 0444, device_tree, &fact_file, &facts[0]);
	proc_create_data("compatible", 0444, device_tree, &fact_file, &facts[1]);
	system = proc_mkdir("system", device_tree);
	proc_create_data("linux,revision", 0444, system, &fact_file, &facts[2]);
	return 0;
}

static int add_strip(void)
{
	/* spidev takes no device of the name "spidev"; this one of its list has no driver of its own */
	struct spi_board_info chain = { .modalias = "dh2228fv", .max_speed_hz = 10000000 };
	int error;

	master = spi_alloc_master(&parent->dev, 0);
	if (!master)
		return -ENOMEM;
	master->bus_num = 0;
	master->num_chipselect = 1;
	master->bits_per_word_mask = SPI_BPW_MASK(8);
	master->transfer_one_message = spi_send;
	error = spi_register_master(master);
	if (error) {
		spi_master_put(master);
		return error;
	}
	if (!spi_new_device(master, &chain)) {
		spi_unregister_master(master);
		return -ENODEV;
	}
	return 0;
}

static int __init parts_init(void)
{
	int error = -ENOMEM;

	tape = vmalloc(TAPE_BYTES);
	if (!tape)
		return error;
	parent = platform_device_register_simple("3f20c000.pwm", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(parent)) {
		error = PTR_ERR(parent);
		goto no_parent;
	}
	pwm_chip.dev = adapter.dev.parent = &parent->dev;
	error = pwmchip_add(&pwm_chip);
	if (error)
		goto no_pwm;
	error = i2c_add_numbered_adapter(&adapter);
	if (error)
		goto no_i2c;
	error = add_strip();
	if (error)
		goto no_strip;
	error = add_device_tree();
	if (error)
		goto no_device_tree;
	folder = debugfs_create_dir("unit", NULL);
	debugfs_create_file("tape", 0600, folder, NULL, &tape_file);
	debugfs_create_blob("display", 0400, folder, &display_blob);
	debugfs_create_blob("strip", 0400, folder, &strip_blob);
	debugfs_create_bool("plugged", 0600, folder, &plugged);
	return 0;

no_device_tree:
	spi_unregister_master(master);
no_strip:
	i2c_del_adapter(&adapter);
no_i2c:
	pwmchip_remove(&pwm_chip);
no_pwm:
	platform_device_unregister(parent);
no_parent:
	vfree(tape);
	return error;
}

static void __exit parts_exit(void)
{
	debugfs_remove_recursive(folder);
	proc_remove(device_tree);
	spi_unregister_master(master);
	i2c_del_adapter(&adapter);
	pwmchip_remove(&pwm_chip);
	platform_device_unregister(parent);
	vfree(tape);
}

module_init(parts_init);
module_exit(parts_exit);
MODULE_DESCRIPTION("The parts of a card-game unit, recorded on a tape");
MODULE_LICENSE("Dual MIT/GPL");
